package secret

import (
	"strings"
	"sync"
)

// byteSet is a set of ASCII bytes: bit c%64 of element c/64 is byte c.
type byteSet [2]uint64

func (s *byteSet) has(c byte) bool { return c < 0x80 && s[c/64]>>(c%64)&1 != 0 }

const (
	digitBits = 0x3ff << '0'
	upperBits = 0x3ffffff << ('A' - 64)
	lowerBits = 0x3ffffff << ('a' - 64)
	hexBits   = 0x3f<<('A'-64) | 0x3f<<('a'-64)
)

// The bytes of the bodies of tokens.
var (
	hexadecimal  = byteSet{digitBits, hexBits}
	dashedHex    = byteSet{digitBits | 1<<'-', hexBits}
	capitals     = byteSet{digitBits, upperBits}
	dashedCaps   = byteSet{digitBits | 1<<'-', upperBits}
	alphanumeric = byteSet{digitBits, upperBits | lowerBits}
	tokenChars   = byteSet{digitBits | 1<<'-', upperBits | lowerBits | 1<<('_'-64)}
	dottedToken  = byteSet{digitBits | 1<<'-' | 1<<'.', upperBits | lowerBits | 1<<('_'-64)}
	base64Chars  = byteSet{digitBits | 1<<'+' | 1<<'/' | 1<<'=', upperBits | lowerBits}
	anyBase64    = byteSet{digitBits | 1<<'+' | 1<<'/' | 1<<'=' | 1<<'-', upperBits | lowerBits | 1<<('_'-64)}

	bearerChars   = byteSet{digitBits | 1<<'+' | 1<<'/' | 1<<'=' | 1<<'-' | 1<<'.', upperBits | lowerBits | 1<<('_'-64) | 1<<('~'-64)}
	digits        = byteSet{digitBits, 0}
	percentBase64 = byteSet{digitBits | 1<<'%' | 1<<'+' | 1<<'/' | 1<<'=', upperBits | lowerBits}
	azureSecret   = byteSet{digitBits | 1<<'-' | 1<<'.', upperBits | lowerBits | 1<<('_'-64) | 1<<('~'-64)}
	webhookPath   = byteSet{digitBits | 1<<'-' | 1<<'/', upperBits | lowerBits | 1<<('@'-64)}
)

// tokenKind is a kind of token with a known prefix. The body after it consists of bytes
// of a set and has a minimum and a maximum length.
type tokenKind struct {
	prefix      string // several of tokenKinds are separated by blanks
	body        *byteSet
	least, most int
	name        string
}

const anyLength = 4096

// fits reports whether a body belongs to such a token: by its length, and because its
// variable part, which contains the body, looks random. The more the length and the
// set of bytes exclude, the less random it must look.
func (k *tokenKind) fits(body, variable string) bool {
	switch {
	case len(body) < k.least || len(body) > k.most:
		return false
	case k.most-k.least <= 10 && (k.oneWord() || k.isHex()):
		return drawn(variable)
	case k.most == k.least:
		return 5*jumbled(variable) >= len(variable) && drawn(variable)
	}
	return random(variable)
}

func (k *tokenKind) oneWord() bool { return !k.body.has('-') && !k.body.has('_') && !k.body.has('.') }

func (k *tokenKind) isHex() bool { return !k.body.has('g') && !k.body.has('G') }

// tokenKinds are the kinds that a prefix marks. If one prefix begins with another, the
// longer one comes first. The shapes are documented by the issuers; otherwise they are
// those of the rules of gitleaks.
var tokenKinds = []tokenKind{
	{"A3-", &dashedCaps, 36, 37, "a 1Password secret key"},
	{"ABSK", &base64Chars, 100, 200, "an Amazon Bedrock key"},
	{"AGE-SECRET-KEY-1", &capitals, 58, 58, "an age key"},
	{"AIza", &tokenChars, 35, 35, "a Google API key"},
	{"AKCp", &alphanumeric, 69, 69, "an Artifactory key"},
	{"AKIA ASIA ABIA ACCA", &capitals, 16, 16, "an AWS access key"},
	{"API-", &capitals, 26, 26, "an Octopus Deploy key"},
	{"AQ.", &tokenChars, 45, 60, "a Google API key"},
	{"ATATT3 ATCTT3", &anyBase64, 50, anyLength, "an Atlassian token"},
	{"ATBB", &alphanumeric, 32, 32, "a Bitbucket app password"},
	{"CCIPAT_", &tokenChars, 40, anyLength, "a CircleCI token"},
	{"CFPAT-", &tokenChars, 43, 43, "a Contentful token"},
	{"CLOJARS_", &alphanumeric, 60, 60, "a Clojars token"},
	{"EAAA", &tokenChars, 50, 80, "a Square token"},
	{"EAA", &alphanumeric, 80, anyLength, "a Facebook token"},
	{"EZAK EZTK", &alphanumeric, 54, 54, "an EasyPost key"},
	{"FLWSECK_TEST-", &tokenChars, 12, 40, "a Flutterwave key"},
	{"FLWSECK-", &tokenChars, 32, 40, "a Flutterwave key"},
	{"FwoGZXIvYXdz IQoJb3JpZ2luX2Vj", &base64Chars, 100, anyLength, "an AWS session token"},
	{"GOCSPX-", &tokenChars, 28, 28, "a Google client secret"},
	{"GR1348941", &tokenChars, 20, 20, "a GitLab runner token"},
	{"HRKU-AA", &tokenChars, 58, 58, "a Heroku key"},
	{"LTAI", &alphanumeric, 16, 20, "an Alibaba access key"},
	{"NRAK-", &capitals, 27, 27, "a New Relic key"},
	{"NRII-", &tokenChars, 32, 32, "a New Relic key"},
	{"NRJS-", &hexadecimal, 19, 19, "a New Relic key"},
	{"NRRA-", &hexadecimal, 42, 42, "a New Relic key"},
	{"PMAK-", &dashedHex, 59, 59, "a Postman key"},
	{"SG.", &dottedToken, 60, 70, "a SendGrid key"},
	{"SK", &hexadecimal, 32, 32, "a Twilio key"},
	{"access-production- access-sandbox-", &dashedHex, 36, 36, "a Plaid token"},
	{"atlasv1.", &tokenChars, 60, 70, "a Terraform token"},
	{"api_org_", &alphanumeric, 34, 34, "a Hugging Face token"},
	{"aio_", &alphanumeric, 28, 28, "an Adafruit IO key"},
	{"apify_api_", &alphanumeric, 30, 40, "an Apify token"},
	{"bkua_", &hexadecimal, 40, 40, "a Buildkite token"},
	{"bb_live_", &tokenChars, 27, 27, "a Browserbase key"},
	{"cfat_ cfk_ cfut_", &alphanumeric, 48, 48, "a Cloudflare token"},
	{"cio", &alphanumeric, 32, 32, "a crates.io token"},
	{"cmVmd", &alphanumeric, 59, 59, "an Artifactory token"},
	{"con-", &hexadecimal, 64, 64, "a Continue key"},
	{"crsr_ key_", &hexadecimal, 64, 64, "a Cursor key"},
	{"csk-", &alphanumeric, 48, 48, "a Cerebras key"},
	{"ctx7sk-", &dashedHex, 36, 36, "a Context7 key"},
	{"dapi", &dashedHex, 32, 34, "a Databricks token"},
	{"dckr_oat_ dckr_pat_", &tokenChars, 27, 40, "a Docker token"},
	{"dnkey-", &tokenChars, 79, 79, "a Defined Networking key"},
	{"doo_v1_ dop_v1_ dor_v1_", &hexadecimal, 64, 64, "a DigitalOcean token"},
	{"dp.pt.", &alphanumeric, 40, 44, "a Doppler token"},
	{"dp.st.", &dottedToken, 40, 70, "a Doppler token"},
	{"dt0c01.", &dottedToken, 89, 89, "a Dynatrace token"},
	{"dtn_", &hexadecimal, 64, 64, "a Daytona key"},
	{"duffel_live_ duffel_test_", &tokenChars, 43, 43, "a Duffel token"},
	{"e2b_", &hexadecimal, 40, 40, "an E2B key"},
	{"fc-", &hexadecimal, 32, 32, "a Firecrawl key"},
	{"figd_", &tokenChars, 40, 50, "a Figma token"},
	{"fio-u-", &tokenChars, 64, 64, "a Frame.io token"},
	{"fk-", &tokenChars, 40, 100, "a Factory key"},
	{"fo1_", &tokenChars, 43, 43, "a Fly.io token"},
	{"fw_", &alphanumeric, 22, 24, "a Fireworks key"},
	{"github_pat_", &tokenChars, 22, anyLength, "a GitHub token"},
	{"ghp_ gho_ ghs_ ghu_ ghr_", &alphanumeric, 36, anyLength, "a GitHub token"},
	{"ghs_", &dottedToken, 100, anyLength, "a GitHub token"},
	{"glagent-", &tokenChars, 50, 50, "a GitLab token"},
	{"glcbt-", &tokenChars, 22, anyLength, "a GitLab token"},
	{"gldt- glffct- glft- glpat- glrt- glsoat-", &tokenChars, 20, 20, "a GitLab token"},
	{"glimt-", &tokenChars, 25, 25, "a GitLab token"},
	{"gloas-", &tokenChars, 64, 64, "a GitLab token"},
	{"glpat- glrt-", &dottedToken, 27, anyLength, "a GitLab token"},
	{"glptt-", &hexadecimal, 40, 40, "a GitLab token"},
	{"glsa_", &tokenChars, 41, 41, "a Grafana token"},
	{"gsk_", &alphanumeric, 40, 60, "a Groq key"},
	{"hf_", &alphanumeric, 34, 40, "a Hugging Face token"},
	{"hvb. hvr.", &tokenChars, 90, 300, "a Vault token"},
	{"hvs.", &tokenChars, 24, 300, "a Vault token"},
	{"ico-", &alphanumeric, 32, 32, "an Infracost key"},
	{"key-", &hexadecimal, 32, 32, "a Mailgun key"},
	{"lin_api_", &alphanumeric, 40, 40, "a Linear key"},
	{"lin_oauth_", &hexadecimal, 64, 64, "a Linear token"},
	{"lsv2_pt_ lsv2_sk_", &tokenChars, 43, 43, "a LangSmith key"},
	{"mdb_sa_sk_", &tokenChars, 40, 40, "a MongoDB Atlas secret"},
	{"napi_", &alphanumeric, 64, 64, "a Neon key"},
	{"nfp_", &alphanumeric, 36, 40, "a Netlify token"},
	{"npm_", &alphanumeric, 36, 36, "an npm token"},
	{"ntn_", &alphanumeric, 46, 46, "a Notion token"},
	{"nvapi-", &tokenChars, 60, 70, "an NVIDIA key"},
	{"oy2", &alphanumeric, 43, 43, "a NuGet key"},
	{"p8e-", &alphanumeric, 32, 32, "an Adobe client secret"},
	{"pat-", &tokenChars, 40, 41, "a HubSpot token"},
	{"pat", &dottedToken, 79, 79, "an Airtable token"},
	{"pcsk_", &tokenChars, 50, 80, "a Pinecone key"},
	{"phx_", &alphanumeric, 40, 50, "a PostHog key"},
	{"pnu_", &alphanumeric, 36, 36, "a Prefect key"},
	{"pplx-", &alphanumeric, 48, 48, "a Perplexity key"},
	{"pscale_oauth_ pscale_tkn_", &dottedToken, 32, 64, "a PlanetScale token"},
	{"pscale_pw_", &dottedToken, 32, 64, "a PlanetScale password"},
	{"pul-", &hexadecimal, 40, 40, "a Pulumi token"},
	{"pypi-", &tokenChars, 50, anyLength, "a PyPI token"},
	{"r8_", &alphanumeric, 37, 37, "a Replicate token"},
	{"rdme_", &alphanumeric, 70, 70, "a ReadMe key"},
	{"re_", &tokenChars, 32, 33, "a Resend key"},
	{"rk_live_ rk_test_", &alphanumeric, 16, anyLength, "a Stripe key"},
	{"rnd_", &alphanumeric, 28, 32, "a Render key"},
	{"rt_", &tokenChars, 60, anyLength, "an OpenAI refresh token"},
	{"rubygems_", &hexadecimal, 48, 48, "a RubyGems key"},
	{"s-s4t2ud-", &hexadecimal, 64, 64, "a 42 client secret"},
	{"sb_secret_", &tokenChars, 28, 40, "a Supabase key"},
	{"sbp_", &hexadecimal, 40, 40, "a Supabase token"},
	{"sess-", &alphanumeric, 40, 40, "an OpenAI session key"},
	{"sgamp_user_", &tokenChars, 91, 91, "an Amp key"},
	{"sgp_", &tokenChars, 40, 57, "a Sourcegraph token"},
	{"shpat_ shpca_ shppa_", &hexadecimal, 32, 32, "a Shopify token"},
	{"shpss_", &hexadecimal, 32, 32, "a Shopify secret"},
	{"shippo_live_ shippo_test_", &hexadecimal, 40, 40, "a Shippo token"},
	{"sk_live_ sk_test_", &alphanumeric, 16, anyLength, "a Stripe key"},
	{"sk_", &hexadecimal, 48, 48, "an ElevenLabs key"},
	{"sk-", &tokenChars, 20, anyLength, "an API key"},
	{"sl.", &tokenChars, 130, anyLength, "a Dropbox token"},
	{"sm_aat_ sm_pat_ sm_sat_", &alphanumeric, 16, 16, "a SettleMint token"},
	{"sntryu_", &hexadecimal, 64, 64, "a Sentry token"},
	{"sq0atp-", &tokenChars, 22, 22, "a Square token"},
	{"sq0csp-", &tokenChars, 43, 43, "a Square secret"},
	{"tfp_", &tokenChars, 44, 60, "a Typeform token"},
	{"tgp_v1_", &tokenChars, 43, 43, "a Together key"},
	{"tk-us-", &tokenChars, 48, 48, "a Scalingo token"},
	{"tskey-", &tokenChars, 25, anyLength, "a Tailscale key"},
	{"tvly-", &tokenChars, 32, 45, "a Tavily key"},
	{"v1.0-", &dashedHex, 171, 171, "a Cloudflare origin key"},
	{"vca_ vci_ vck_ vcp_ vcr_", &alphanumeric, 40, 80, "a Vercel token"},
	{"wk-1.", &hexadecimal, 64, 64, "a Warp key"},
	{"xai-", &alphanumeric, 70, 90, "an xAI key"},
	{"xapp- xoxe- xoxe.", &tokenChars, 30, anyLength, "a Slack token"},
	{"xkeysib-", &tokenChars, 81, 81, "a Brevo key"},
	{"xoxa- xoxb- xoxc- xoxp- xoxr- xoxs-", &tokenChars, 10, anyLength, "a Slack token"},
	{"xoxd-", &percentBase64, 50, anyLength, "a Slack session cookie"},
	{"ya29.", &tokenChars, 30, anyLength, "a Google access token"},
}

// kindsByByte are the tokenKinds by the first byte of their prefix, with one prefix each.
var kindsByByte = sync.OnceValue(func() *['z' + 1][]tokenKind {
	var by ['z' + 1][]tokenKind
	for _, k := range tokenKinds {
		for k.prefix = range strings.SplitSeq(k.prefix, " ") {
			by[k.prefix[0]] = append(by[k.prefix[0]], k)
		}
	}
	return &by
})

// literalKind is a kind of token that is found by a mark, a byte that is rare in prose:
// its body may not begin with a long run of letters and digits, or its prefix is in
// the middle of the token.
type literalKind struct {
	before    *byteSet // the bytes of the part before the prefix; nil: no such part
	atLeast   int      // the minimum length of that part
	left      string   // the text before the mark
	tokenKind          // its prefix begins with the mark
}

// literalKinds are the kinds by their mark.
var literalKinds = [...]struct {
	mark  byte
	kinds []literalKind
}{
	{'~', []literalKind{
		{&azureSecret, 4, "Q", tokenKind{"~", &azureSecret, 31, 34, "an Azure client secret"}},
		{nil, 0, "sha256", tokenKind{"~", &tokenChars, 43, 43, "an OpenShift token"}},
	}},
	{':', []literalKind{
		{nil, 0, "", tokenKind{"://hooks.slack.com/services/", &base64Chars, 40, 60, "a Slack webhook"}},
		{nil, 0, "", tokenKind{"://hooks.slack.com/workflows/", &base64Chars, 40, 80, "a Slack webhook"}},
		{nil, 0, "", tokenKind{"://discord.com/api/webhooks/", &anyBase64, 70, 120, "a Discord webhook"}},
		{nil, 0, "", tokenKind{"://discordapp.com/api/webhooks/", &anyBase64, 70, 120, "a Discord webhook"}},
		{&tokenChars, 11, "", tokenKind{":APA91b", &tokenChars, 100, anyLength, "a Firebase server key"}},
		{&digits, 8, "", tokenKind{":AA", &tokenChars, 32, 33, "a Telegram bot token"}},
	}},
	{'=', []literalKind{
		{nil, 0, "AccountKey", tokenKind{"=", &base64Chars, 43, 100, "an Azure storage key"}},
		{nil, 0, "SharedAccessKey", tokenKind{"=", &base64Chars, 43, 100, "an Azure access key"}},
		{nil, 0, "&sig", tokenKind{"=", &percentBase64, 43, 100, "an Azure access signature"}},
		{nil, 0, "?sig", tokenKind{"=", &percentBase64, 43, 100, "an Azure access signature"}},
	}},
	{'_', []literalKind{
		{nil, 0, "fm1a", tokenKind{"_", &base64Chars, 100, anyLength, "a Fly.io token"}},
		{nil, 0, "fm1r", tokenKind{"_", &base64Chars, 100, anyLength, "a Fly.io token"}},
		{nil, 0, "fm2", tokenKind{"_", &base64Chars, 100, anyLength, "a Fly.io token"}},
		{nil, 0, "glc", tokenKind{"_", &base64Chars, 32, 400, "a Grafana token"}},
		{nil, 0, "ops", tokenKind{"_eyJ", &base64Chars, 250, anyLength, "a 1Password token"}},
		{nil, 0, "sntrys", tokenKind{"_", &anyBase64, 60, anyLength, "a Sentry token"}},
		{nil, 0, "whsec", tokenKind{"_", &base64Chars, 24, anyLength, "a webhook secret"}},
	}},
	{'K', []literalKind{
		{nil, 0, "ABS", tokenKind{"K", &base64Chars, 100, anyLength, "an AWS Bedrock key"}},
	}},
	{'-', []literalKind{
		{&hexadecimal, 32, "", tokenKind{"-us", &digits, 1, 2, "a Mailchimp key"}},
	}},
	{'/', []literalKind{
		{nil, 0, ".webhook.office.com", tokenKind{"/webhookb2/", &webhookPath, 100, anyLength, "a Teams webhook"}},
		{nil, 0, "1", tokenKind{"//0", &tokenChars, 40, anyLength, "a Google refresh token"}},
	}},
}
