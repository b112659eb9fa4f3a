package hidden_test

import (
	"slices"
	"strings"
	"testing"

	"handoff/parse"
	"handoff/parse/hidden"
)

// found are the pieces of a document: what each is, a colon, and its text.
func found(src string) (list []string) {
	doc := parse.Document([]byte(src))
	for _, p := range hidden.Text(doc) {
		list = append(list, p.What+": "+doc.Source[p.From:p.To])
	}
	return list
}

func TestText(t *testing.T) {
	const element, attribute = "an element that is not displayed: ", "an attribute of an HTML tag: "
	for src, want := range map[string][]string{
		`a <span style="display:none">evil</span> b`:                         {element + `<span style="display:none">evil</span>`},
		`a <span style="DISPLAY : none !important">evil</span>`:              {element + `<span style="DISPLAY : none !important">evil</span>`},
		`<span style="display/**/:/*x*/none">evil</span>`:                    {element + `<span style="display/**/:/*x*/none">evil</span>`},
		`<span style="display&#58;none">evil</span>`:                         {element + `<span style="display&#58;none">evil</span>`},
		`<span style='d\69splay:none'>evil</span>`:                           {element + `<span style='d\69splay:none'>evil</span>`},
		`<b style="font-size:0px">evil</b>`:                                  {element + `<b style="font-size:0px">evil</b>`},
		`<b style="opacity:0.0">evil</b>`:                                    {element + `<b style="opacity:0.0">evil</b>`},
		`<b style="position:absolute;left:-9999px">evil</b>`:                 {element + `<b style="position:absolute;left:-9999px">evil</b>`},
		`<font color="white">evil</font>`:                                    {element + `<font color="white">evil</font>`},
		`<b style="color:#FEFEFE">evil</b>`:                                  {element + `<b style="color:#FEFEFE">evil</b>`},
		`<b style="color: #f8f8f8ff">evil</b>`:                               {element + `<b style="color: #f8f8f8ff">evil</b>`},
		`<b style="color: #0000000d">evil</b>`:                               {element + `<b style="color: #0000000d">evil</b>`},
		`<b style="color:rgb(254,254,254)">evil</b>`:                         {element + `<b style="color:rgb(254,254,254)">evil</b>`},
		`<b style="color:rgb(98% 99% 100%)">evil</b>`:                        {element + `<b style="color:rgb(98% 99% 100%)">evil</b>`},
		`<b style="color:rgba(0,0,0,.05)">evil</b>`:                          {element + `<b style="color:rgba(0,0,0,.05)">evil</b>`},
		`<b style="color:rgb(0 0 0 / 5%)">evil</b>`:                          {element + `<b style="color:rgb(0 0 0 / 5%)">evil</b>`},
		`<font color="#eee">x</font> <font color="#ff0000">y`:                nil,
		`<b style="color:rgb(200,254,254)">x</b>`:                            nil,
		`<b style="color:rgba(0,0,0,.5);background:#fff">x</b>`:              nil,
		`<b style="color:rgb(1,2)">x</b>`:                                    nil,
		`<b class="a sr-only">evil</b>`:                                      {element + `<b class="a sr-only">evil</b>`},
		`<b class="Visually-Hidden">evil</b>`:                                {element + `<b class="Visually-Hidden">evil</b>`},
		`<p class=hidden>evil</p>`:                                           {element + `<p class=hidden>evil</p>`},
		`<p class="unhidden hidden-on-paper">x</p>`:                          nil,
		`a [](https://e.org/evil) b`:                                         {"a link without a text: [](https://e.org/evil)"},
		`a [ ](evil "title") b`:                                              {`a link without a text: [ ](evil "title")`},
		`![](picture.png) [x](y) [][](z) f[]() g[i](1)`:                      {"a link without a text: [](z)"},
		"```\n[](evil)\n```\n`[](evil)`":                                     nil,
		"a" + strings.Repeat("&nbsp;", 100) + "evil":                         {"text after 100 blanks: " + strings.Repeat("&nbsp;", 100)},
		"a" + strings.Repeat("&NBSP; &#160;", 40) + "evil":                   {"text after 120 blanks: " + strings.Repeat("&NBSP; &#160;", 40)},
		"a" + strings.Repeat("\t", 30) + "evil":                              {"text after 120 blanks: " + strings.Repeat("\t", 30)},
		"a" + strings.Repeat("\t", 25) + "evil":                              {"text after 100 blanks: " + strings.Repeat("\t", 25)},
		"a" + strings.Repeat("&nbsp;", 5) + strings.Repeat(" ", 95) + "evil": {"text after 100 blanks: " + strings.Repeat("&nbsp;", 5) + strings.Repeat(" ", 95)},
		"a" + strings.Repeat("&nbsp;", 5) + strings.Repeat(" ", 94) + "fine": nil,
		"a" + strings.Repeat(" ", 100) + "evil":                              {"text after 100 blanks: " + strings.Repeat(" ", 100)},
		"a" + strings.Repeat(" ", 99) + "fine":                               nil,
		"a" + strings.Repeat("\t", 20) + "fine":                              nil,
		"```\n" + strings.Repeat("&nbsp;", 100) + "fine\n```":                nil,
		strings.Repeat("a &nbsp; && b\n", 60):                                nil,
		`<b style="color:red; opacity:0.5; width:100px">x</b>`:               nil,
		"<p hidden a=":            nil,
		"<p hidden a= ":           nil,
		"123456789. [a]: evil\n":  {"a link definition that no link uses: 123456789. [a]: evil"},
		"1234567890. [a]: fine\n": nil,
		"<h2 hidden>evil</h2>":    {element + "<h2 hidden>evil</h2>"},
		"<my-card hidden>evil</my-card> <2b hidden>x</2b> <-b hidden>": {element + "<my-card hidden>evil</my-card>"},
		"<p hidden>evil</p>":                                        {element + "<p hidden>evil</p>"},
		"<p\nhidden\n>\nevil\n</p>\n":                               {element + "<p\nhidden\n>\nevil\n</p>"},
		"<details>\n<summary>x</summary>\n\nevil\n\n</details>":     {element + "<details>\n<summary>x</summary>\n\nevil\n\n</details>"},
		"<details open>\nfine\n</details>":                          nil,
		"<dialog open>fine</dialog>":                                nil,
		"<dialog>evil</dialog>":                                     {element + "<dialog>evil</dialog>"},
		"<details open hidden>evil</details>":                       {element + "<details open hidden>evil</details>"},
		"<details hidden open>evil</details>":                       {element + "<details hidden open>evil</details>"},
		"<template open>evil</template>":                            {element + "<template open>evil</template>"},
		"<template>evil</template>":                                 {element + "<template>evil</template>"},
		"<SCRIPT>a < b; evil()</SCRIPT > b":                         {element + "<SCRIPT>a < b; evil()</SCRIPT >"},
		"<script>a</b>evil</script> b":                              {element + "<script>a</b>evil</script>"},
		"<script>evil</b":                                           {element + "<script>evil</b"},
		"<div hidden><div>a</div>evil</div> b":                      {element + "<div hidden><div>a</div>evil</div>"},
		"<div hidden>\nevil\n\nfine":                                {element + "<div hidden>\nevil"},
		"<p hidden></p> <script></script> <details></details>":      nil,
		`<a title="evil words">x</a>`:                               {attribute + `title="evil words"`},
		`<img alt='evil words' src=x>`:                              {attribute + `alt='evil words'`},
		`<a data-x="evil words here">x</a>`:                         {attribute + `data-x="evil words here"`},
		`<a class="one two" href="x y">x</a> <img width="10">`:      nil,
		"<please run this now>":                                     {"a sentence in angle brackets: <please run this now>"},
		"<task number> and Vec<T> and x <y and z> w, 1 < 2":         nil,
		"<?php evil ?> a":                                           {"a processing instruction: <?php evil ?>"},
		"<![CDATA[ evil ]]> a":                                      {"a CDATA section: <![CDATA[ evil ]]>"},
		"<!DOCTYPE evil>":                                           {"a declaration: <!DOCTYPE evil>"},
		"<!-- a <p hidden>comment</p> -->":                          nil,
		`[a](b "evil") and [c](d 'evil') and [e](<f> (evil))`:       {`the title of a link: "evil"`, "the title of a link: 'evil'", "the title of a link: (evil)"},
		`[a](<do this now please>)`:                                 {"a sentence in angle brackets: <do this now please>"},
		`[a](<do this, 1 now>)`:                                     {"the address of a link: <do this, 1 now>"},
		"[a](b) (see [c](d)) \"quoted\"":                            nil,
		"[a]: evil\n":                                               {"a link definition that no link uses: [a]: evil"},
		"see [a]\n\n[a]: fine\n":                                    nil,
		"see [x][A  b]\n\n[a b]: fine \"evil\"\n":                   {"the title of a link: \"evil\""},
		"[a]: x\n  \"evil\nwords\"\n":                               {"a link definition that no link uses: [a]: x"},
		"[a]: x\n  \"evil words\"\n":                                {"a link definition that no link uses: [a]: x\n  \"evil words\""},
		"[//]: # (evil)\n":                                          {"a link definition that no link uses: [//]: # (evil)"},
		"- [a]: evil\n":                                             {"a link definition that no link uses: - [a]: evil"},
		"a\n1. - [//]: # (evil)\n":                                  {"a link definition that no link uses: 1. - [//]: # (evil)"},
		"- see [a]\n- [a]: fine\n- [b] c: d\n- [x]: more words":     nil,
		"<b popover>evil</b>":                                       {element + "<b popover>evil</b>"},
		"a\n\n<!-- evil\n\nlost":                                    {"a comment that is never closed, with all that is below it,: <!-- evil"},
		"a <!-- fine\n":                                             nil,
		"| a | b |\n|---|---|\n| 1 | 2 | evil words |\n| 3 | 4 |\n": {"cells beyond the columns of a table: | evil words "},
		"| a | b |\n|---|---|\n| 1 | 2 | evil | more":               {"cells beyond the columns of a table: | evil | more"},
		"> a | b\n> :-- | --:\n> 1 | 2 | evil\n":                    {"cells beyond the columns of a table: | evil"},
		"| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| x \\| y | z |\n":    nil,
		"| a | b | c |\n|---|---|\n| 1 | 2 | fine |\n":              nil,
		"| a | b |\n\n| 1 | 2 | fine |\n":                           nil,
		"```\n| a |\n|---|\n| b | fine |\n```\n":                    nil,
		`a $\phantom{evil words}$ b`:                                {`text in a formula that is not drawn: \phantom{evil words}`},
		"$`\\hphantom{evil}`$ $$\\vphantom{\\text{evil {x}}}$$":     {"text in a formula that is not drawn: \\hphantom{evil}", "text in a formula that is not drawn: \\vphantom{\\text{evil {x}}}"},
		`$\color{white}{evil}$ $\textcolor{#fff}{evil}$`:            {`text in a formula that is not drawn: \color{white}{evil}`, `text in a formula that is not drawn: \textcolor{#fff}{evil}`},
		`$x \color{white} evil$ fine`:                               {`text in a formula that is not drawn: \color{white} evil`},
		`$\style{font-size:0}{evil}$`:                               {`text in a formula that is not drawn: \style{font-size:0}{evil}`},
		"```math\n\\phantom{evil}\n```\n":                           {"text in a formula that is not drawn: \\phantom{evil}"},
		"`\\phantom{fine}` $\\phantom{={}} \\phantom{\\alpha x}$ $\\color{red}{fine}$ \\phantom fine": nil,
		"```tex\n\\phantom{fine}\n```\n":                                                                nil,
		"```mermaid\ngraph TD\n  %% evil words\nA-->B\n```\n":                                           {"a comment in a diagram: %% evil words"},
		"```mermaid\nflowchart TD\naccDescr: evil\nA-->B\n```\n":                                        {"a comment in a diagram: accDescr: evil"},
		"```mermaid\n%%{init: {'theme': 'dark'}}%%\n%% ----\nA-->B: 5%%\n```\n\n```tex\n%% fine\n```\n": nil,
		"<progress>evil</progress> <meter value=1>evil</meter>":                                         {element + "<progress>evil</progress>", element + "<meter value=1>evil</meter>"},
		`<b style="font-size:0.1px">evil</b>`:                                                           {element + `<b style="font-size:0.1px">evil</b>`},
		`<b style="font-size:1px">evil</b>`:                                                             {element + `<b style="font-size:1px">evil</b>`},
		`<b style="font:italic 1pt/1 serif">evil</b>`:                                                   {element + `<b style="font:italic 1pt/1 serif">evil</b>`},
		`<b style="font-size:.1em">evil</b>`:                                                            {element + `<b style="font-size:.1em">evil</b>`},
		`<b style="opacity:0.1">evil</b>`:                                                               {element + `<b style="opacity:0.1">evil</b>`},
		`<b style="opacity:5%">evil</b>`:                                                                {element + `<b style="opacity:5%">evil</b>`},
		`<b style="height:.5px;overflow:hidden">evil</b>`:                                               {element + `<b style="height:.5px;overflow:hidden">evil</b>`},
		`<b style="color:black;background:black">evil</b>`:                                              {element + `<b style="color:black;background:black">evil</b>`},
		`<b style="color:#112233;background-color:#112240">evil</b>`:                                    {element + `<b style="color:#112233;background-color:#112240">evil</b>`},
		`<b style="color:hsl(0, 0%, 100%)">evil</b>`:                                                    {element + `<b style="color:hsl(0, 0%, 100%)">evil</b>`},
		`<td bgcolor=black color=black>evil</td>`:                                                       {element + `<td bgcolor=black color=black>evil</td>`},
		`<b style="font-size:11px;opacity:0.8;font:12px serif;line-height:1;height:20px;color:#333;background:#fff url(x) no-repeat">x</b>`: nil,
		`<b style="font-size:0.8em;width:100%;scale:1;color:black;background:yellow">x</b>`:                                                 nil,
		"a\n> [a]: evil\n":                                       {"a link definition that no link uses: > [a]: evil"},
		"> [a]: evil\n":                                          {"a link definition that no link uses: > [a]: evil"},
		"[^1]: evil words\n":                                     {"a footnote that nothing refers to: [^1]: evil words"},
		"a[^1]\n\n[^1]: fine words\n":                            nil,
		"[Phase 1]: done, and more\n":                            nil,
		"a paragraph\n[a]: x\n":                                  nil,
		"```bash and then evil\nx\n```":                          {"text after the language of a code fence:  and then evil"},
		"```lean {1,3}\nx\n```\n\n```bash\n```":                  nil,
		"a" + strings.Repeat(" ", 300) + "evil":                  {"text after 300 blanks: " + strings.Repeat(" ", 300)},
		"```\n" + strings.Repeat("\u3000", 120) + "evil\n```":    {"text after 120 blanks: " + strings.Repeat("\u3000", 120)},
		"| a" + strings.Repeat(" ", 120) + "| b |\n|---|---|":    nil,
		"a" + strings.Repeat(" ", 300):                           nil,
		"`<p hidden>x</p>` \\<p hidden>x</p>":                    nil,
		"```\n<p hidden>x</p>\n[a]: b \"c\"\n```":                nil,
		"    <p hidden>x</p>\n":                                  nil,
		"---\ntask: 1\n---\nfine\n":                              nil,
		"<https://example.org/a> <a@b.c> [x](https://e.org/(a))": nil,
	} {
		if got := found(src); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", src, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"<a b='c'>", "[a]: b \"c\"", "[a](b 'c')", "<p hidden>\n\nx</p>", "``` a b\n```", "<?x", "\xff<a\x00>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		doc, end := parse.Document([]byte(src)), 0
		for _, p := range hidden.Text(doc) {
			if p.From < end || p.To <= p.From || p.To > len(doc.Source) || p.What == "" {
				t.Fatalf("%+v after %d in %q", p, end, src)
			}
			end = p.To
		}
	})
}

func TestAll(t *testing.T) {
	doc := parse.Document([]byte("a <!-- one\ntwo --> b <!-- handoff-lint allow x: y --> <p hidden>c <!-- in it --></p>\n<!-->\n"))
	var got []string
	for _, p := range hidden.All(doc) {
		mark := ""
		if p.Mute {
			mark = " (mute)"
		}
		got = append(got, doc.Source[p.From:p.To]+mark)
	}
	want := []string{"<!-- one\ntwo -->", "<!-- handoff-lint allow x: y --> (mute)", "<p hidden>c <!-- in it --></p>", "<!--> (mute)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
