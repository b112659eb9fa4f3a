package jetstream

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"handoff/internal/testing/natstest"
)

// TestDocumentedConfigs has nats-server check the configurations of docs/jetstream.md
// and docs/compose.yaml.
func TestDocumentedConfigs(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	configs := []string{}
	for _, block := range regexp.MustCompile("(?s)```conf\n(.*?)```").FindAllStringSubmatch(read("docs/jetstream.md"), -1) {
		configs = append(configs, block[1])
	}
	_, composed, _ := strings.Cut(read("docs/compose.yaml"), "content: |\n")
	configs = append(configs, strings.ReplaceAll(composed, "$$", "$"))
	if len(configs) != 3 {
		t.Fatalf("%d configurations, want 3", len(configs))
	}
	t.Setenv("HANDOFF_STORE_TOKEN", "t0123")
	t.Setenv("AGENT_PASSWORD", "p0123")
	t.Setenv("NODE", "nats-1")
	cert, key := certificate(t)
	for _, config := range configs {
		config = strings.NewReplacer("/etc/nats/cert.pem", filepath.ToSlash(cert), "/etc/nats/ca.pem", filepath.ToSlash(cert), "/etc/nats/key.pem", filepath.ToSlash(key)).Replace(config)
		if out, err := natstest.Check(t, config); err != nil {
			t.Errorf("%v\n%s\n%s", err, out, config)
		}
	}
	for _, needed := range []string{"sync_interval: always", "server_name:", "routes:"} {
		if !strings.Contains(configs[0], needed) || !strings.Contains(configs[2], needed) {
			t.Errorf("a configuration of a node has no %q", needed)
		}
	}
}

// TestDocumentedPermissions has a user with the permissions of docs/jetstream.md use a
// store.
func TestDocumentedPermissions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "jetstream.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, config, _ := strings.Cut(string(text), "```conf\naccounts {")
	config, _, _ = strings.Cut(config, "```")
	config = strings.NewReplacer("$AGENT_PASSWORD", "p0123", ".STREAM\"", ".docs\"", "handoff.STREAM.", "handoff.docs.", "GET.STREAM.>", "GET.docs.>", "CREATE.STREAM.>", "CREATE.docs.>", "NEXT.STREAM.*", "NEXT.docs.*", "DELETE.STREAM.*", "DELETE.docs.*").Replace("accounts {" + config)
	admin := strings.Replace(config, "users: [ {", "users: [ { user: admin, password: admin }, {", 1)
	c := natstest.Start(t, natstest.Options{Nodes: 1, Config: admin + "no_auth_user: admin\n"})
	open(t, c, "docs").Close()
	c.Kill(0)
	c.SetConfig(admin + "no_auth_user: agent\n")
	c.Restart(0)
	c.WaitHealthy()
	for _, has := range []string{"handoff.docs.>", "$JS.API.STREAM.MSG.GET.docs"} {
		if !strings.Contains(config, has) {
			t.Fatalf("the permissions have no %s:\n%s", has, config)
		}
	}
	e := open(t, c, "docs")
	exercise(t, e)
	writeMany(t, e, "long.jsonl")
	readMany(t, e, "long.jsonl")
	if e.refusal.Load() != nil || e.noConsumers.Load() {
		t.Errorf("not permitted: %v", *e.refusal.Load())
	}
	c.Kill(0)
	c.SetConfig(regexp.MustCompile(`,\s*"\$JS\.API\.CONSUMER[^]]*`).ReplaceAllString(admin, "") + "no_auth_user: agent\n")
	c.Restart(0)
	c.WaitHealthy()
	e = open(t, c, "docs")
	readMany(t, e, "long.jsonl")
	if !e.noConsumers.Load() {
		t.Error("a consumer was created without the permission")
	}
}
