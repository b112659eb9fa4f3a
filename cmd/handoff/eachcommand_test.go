package main

import "strings"

// The tables of tests that run every command. A new command needs a row in onTerminals, and one in readers or in
// otherCommands.

// attack is what a hostile text sends to a terminal: it writes the clipboard,
// sets the title, conceals text, reverses its direction, and starts a sequence
// by the one character U+009B.
const attack = "\x1b]52;c;ZXZpbA==\a\x1b]0;evil\a\x1b[8mconcealed\u202ereversed\u009b2J\x7f\x08"

// onTerminals has, for each command, arguments with which it shows hostile
// text. {} is replaced by the server's address.
var onTerminals = map[string][][]string{
	"brief":      {{"1"}, {"1", "--level", "2"}, {"1", "--level", "3"}, {"1", "--level", "full"}, {"1", "--json"}, {"no" + attack}},
	"ls":         {nil, {"--json"}, {"--format", "{{.Ref}} {{.Slug}} {{.Path}} {{.NextAction}} {{.Problem}}"}, {"--format", "{{." + attack + "}}"}},
	"top":        {nil, {"--json"}, {"--as", attack}, {attack}},
	"show":       {{"1"}, {"1", "--path"}, {"1", "--json"}, {"1", "--color", "never"}},
	"search":     {{"it"}, {"it", "--json"}, {attack}, {"--since", attack, "x"}},
	"graph":      {nil, {"--task", "1"}, {"--task", "1", "--format", "svg"}, {"--thread", "all"}, {"--thread", "all", "--format", "mermaid"}, {"--tape", "all", "--format", "dot"}, {"--tape", "all"}, {"--task", attack}},
	"gauge":      {{"--transcript", "session.jsonl"}, {"--transcript", "session.jsonl", "--json"}, {"--transcript", "session.jsonl", "--note"}, {"--transcript", "no" + attack}, {"--session", attack}, {"--agent", attack}},
	"sessions":   {{}, {"--all", "--json"}, {"--agent", attack}},
	"draft":      {{"--transcript", "session.jsonl"}, {"--transcript", "session.jsonl", "--all"}, {"--transcript", "session.jsonl", "--json"}, {"--transcript", "session.jsonl", "--task", "1"}, {"--transcript", "no" + attack}, {"--session", attack}, {"--session", "ses_" + attack}, {"--agent", attack}},
	"audit":      {{"--transcript", "session.jsonl"}, {"--transcript", "session.jsonl", "--all"}, {"--transcript", "session.jsonl", "--json"}, {"--transcript", "no" + attack}, {"--session", attack}, {"--handoff", attack, "--transcript", "session.jsonl"}},
	"statusline": {{"--", "cat", "session.jsonl"}, {"--agent", attack, "--", "no" + attack}},
	"hook":       {{"session-start", "--host", "kiro", "-"}, {"stop", "--host", attack}, {attack}},
	"agents":     {nil, {"evil"}, {"--json"}, {attack}},
	"acp":        {{"--", "cat"}, {"--", "cat", "session.jsonl"}, {"--", "printf", strings.ReplaceAll(attack, "\x1b", `\033`)}, {"--", "no" + attack}, {"--level", attack, "--", "cat"}, {"--", "sh", "-c", "printf '\\033[31m' >&2; exit 3"}},
	"mcp":        {nil, {attack}, {"--http", attack}, {"--http", "unix:/no" + attack + "/s"}},
	"lint": {nil, {"--json"}, {"--format", "sarif"}, {"--format", "github"}, {"--format", "junit"}, {"--statistics"}, {"--diff"},
		{"--color", "never"}, {"--only", attack}, {attack}, {"-"}, {"-", "--fix"}},
	"fix":       {{"--diff"}, {"-"}},
	"rules":     {nil, {"secret"}, {attack}},
	"init":      {{"--dir" + attack}, nil},
	"doctor":    {nil, {"claude"}, {"codex", "--json"}, {attack}},
	"setup":     {{"codex", "--dry-run"}, {"codex", "--dry-run", "--json"}, {"codex"}, {"codex", "--remove"}, {attack}, {"--remove" + attack}},
	"new":       {{"--task", "1", "--phase", "1", "--from", "given.md"}, {"--task", "3", "--slug", "x", "--phase", "1", "--from", "given.yaml"}, {"--task", "4", "--slug", attack, "--phase", "1", "--draft"}},
	"next":      {nil, {"--json"}, {"--claim", "--as", attack}, {"--claim", "--as", "ann\u202ebob"}, nil},
	"claim":     {{"1", "--as", attack}, {"1", "--as", "ann\u202ebob"}, {"1", "--as", "c"}, {attack, "--as", "c"}},
	"ack":       {{"1", "--first-action", attack, "--as", "a"}, {"1", "--as", attack}},
	"renew":     {{"1"}, {attack}},
	"release":   {{"1"}, {"--why", attack}},
	"done":      {{"1", "--as", attack}, {"1", "--as", "ann\u202ebob", "--json"}},
	"task list": {{}, {"--all"}, {"--json"}}, "task show": {{"1"}, {"1", "--json"}, {attack}}, "task close": {{attack}, {"1", "--why", attack}, {"1", "--json"}},
	"task reopen": {{"1"}, {attack}}, "task rename": {{"1", attack}, {attack, "x"}, {"1", "renamed_task"}}, "task archive": {{"2"}, {attack}, {"2", "--force"}},
	"receipts": {{"1"}, {"1", "--json"}, {attack}},
	"spawn": {{"1", "--agent", "codex", "--print"}, {"1", "--agent", attack}, {"1", "--agent", "evil"}, {"1", "--agent", ".handoff/agents/evil.yaml"}, {"1", "--agent", ".handoff/agents/loud.yaml"}, {"1", "--agent", ".handoff/agents/loud.yaml", "--json"}, {attack, "--agent", "codex"},
		{"1", "--agent", "custom", "--", "printf", strings.ReplaceAll(attack, "\x1b", `\033`)}, {"1", "--agent", "custom", "--", "sh", "-c", "printf '\\033[31m' >&2; exit 3"}, {"1", "--agent", "custom", "--json", "--", "cat"}},
	"relay": {{"--task", "1", "--agent", ".handoff/agents/loud.yaml", "--", attack}, {"--task", "2", "--agent", ".handoff/agents/loud.yaml", "--json", "--", attack}, {"--task", "1", "--agent", attack, "--", "x"},
		{"--list"}, {"--list", "--json"}, {"--resume", attack}, {"--resume", "latest"}},
	"sync":                            {nil, {"--json"}, {attack}},
	"watch":                           {{"--status"}},
	"verify":                          {nil, {"--json"}},
	"trust":                           {{"--show"}, nil, {"--revoke"}, {attack}},
	"bundle create":                   {{"1"}, {"1", "--stdout"}},
	"bundle show":                     {{"1"}, {"1", "--json"}},
	"bundle check":                    {{"broken.json"}, {"no" + attack}},
	"bundle diff":                     {{"1"}},
	"convert":                         {{"1", "--to", "tape"}, {"given.md", "--to", "md"}, {"broken.json"}},
	"artifact put":                    {{"given.md"}},
	"artifact get":                    {{"$given.md"}, {attack}},
	"artifact fetch":                  {{`{"id": "` + attack + `"}`}, {attack}},
	"artifact schema":                 {nil},
	"artifact ls":                     {nil, {"--json"}},
	"artifact verify":                 {nil},
	"artifact gc":                     {nil, {"--json"}},
	"store check":                     {nil, {"--json"}},
	"store copy":                      {{attack, "files"}, {"files", "git:" + attack}, {"files", "git:nowhere"}},
	"store drain":                     {nil},
	"thread export":                   {{attack}},
	"thread import":                   {{"no" + attack}},
	"thread repair":                   {nil, {attack}},
	"thread create":                   {{"--title", attack}},
	"thread ensure":                   {nil},
	"thread post-message":             {{"0000", "--content", attack}, {attack, "--content", "x"}},
	"thread branch":                   {{"0000", "--title", attack}},
	"thread reference":                {{"0000", attack}, {attack, "0000"}, {"0000", "0000", "--note", attack}},
	"thread handoff":                  {{"0000", "--summary", attack}},
	"thread archive":                  {{"0000"}, {attack}},
	"thread unarchive":                {{"0000"}},
	"thread rename":                   {{"0000", attack}},
	"thread list":                     {nil, {"--json"}, {"--server", "{}"}, {"--server", "{}", "--json"}},
	"thread get":                      {{"0000"}, {"0000", "--server", "{}"}},
	"thread events":                   {{"0000"}},
	"thread show":                     {{"0000"}},
	"thread lineage":                  {{"0000"}, {"0000", "--format", "mermaid"}, {"0000", "--format", "dot"}, {"0000", "--json"}},
	"thread provider-cursor-status":   {{"0000"}},
	"thread provider-cursor-rotate":   {{"0000"}},
	"thread context-selection-status": {{"0000"}},
	"thread compaction-checkpoint":    {{"0000", "--summary-markdown", attack}},
	"thread compaction-cut-points":    {{"0000"}},
	"thread compaction-status":        {{"0000"}},
	"thread compaction-auto":          {{"0000"}},
	"thread compaction-auto-schedule": {{"0000"}},
	"tape append":                     {{attack}},
	"tape handoff":                    {{"n" + attack, "--summary", attack}, {"fine", "--summary", attack}},
	"tape exec":                       {{",tape.info"}, {"," + attack}, {",tape.search query=evil"}},
	"tape anchors":                    {nil, {"--json"}},
	"tape read":                       {nil, {"--json"}},
	"tape search":                     {{"evil"}, {"concealed", "--json"}},
	"tape context":                    {nil, {"--all"}, {"--all", "--for", "anthropic"}},
	"tape recover":                    {nil, {"--json"}},
	"tape info":                       {nil},
	"tape list":                       {nil, {"--server", "{}"}},
	"tape archives":                   {nil, {"--json"}, {"--tape", "side"}},
	"tape lineage":                    {nil},
	"tape fork":                       {{"f" + attack}, {"f"}},
	"tape merge":                      {{"f"}},
	"tape discard":                    {{"f"}},
	"tape reset":                      {nil},
	"tape create":                     {{"f" + attack}, {"made", "--bare"}},
	"tape delete":                     {{"f" + attack}, {"made"}},
	"tape check":                      {nil, {"--tape", "f" + attack}, {"--fix"}},
	"tape send":                       {{"--to", attack}, {"--from", "agent:a", "--to", "agent:" + attack}},
	"tape receive":                    {{"broken.json"}},
	"tape import":                     {{"broken.json"}},
	"tape export":                     {{"-"}, nil},
	"tape schema":                     {nil},
	"tape book":                       {nil, {attack}, {"--remove", attack}},
	"run":                             {{"0000", "--content", attack, "--", "printf", strings.ReplaceAll(attack, "\x1b", `\033`)}, {"0000", "--content", "x", "--", "sh", "-c", "printf '\\033[31m' >&2; printf '\\033[8m'"}, {"--list"}},
	"compile":                         {{"0000", "--stdout"}, {"0000", "--explain"}, {"0000", "--json"}},
	"render":                          {{attack}},
	"serve":                           {{"--listen", "unix:/no" + attack + "/s"}, {"--listen", attack}},
	"lsp":                             {nil, {attack}, {"--rules-page", attack}},
	"schema":                          {nil, {attack}},
	"conformance":                     {{"-o", attack}, {"--", "printf", "\\033[31m\n"}, {attack}},
	"chain":                           {{"1"}, {attack}},
	"restore":                         {nil, {"1"}, {attack}, {"--list"}, {"1", "--yes"}, {"1", "--to", "out" + attack}},
	"diff":                            {{"1"}, {attack}, {"1", "2"}},
	"completion":                      {{"bash"}, {attack}},
	"demo":                            {nil, {attack}},
	"man":                             {nil, {"lint"}, {attack}},
}

// readers has arguments for each command that prints what is in blobs or streams, with
// the names of newStored.
var readers = map[string][]string{
	"brief": {"1"}, "ls": {}, "top": {"--json"}, "search": {"tests"}, "graph": {"--thread", "all"}, "next": {}, "receipts": {"1"}, "chain": {"1"},
	"verify": {}, "bundle show": {"$doc"}, "bundle check": {"$doc"}, "bundle diff": {"1"}, "convert": {"$next", "--to", "bundle"},
	"artifact get": {"$bundle"}, "artifact fetch": {`{"id":"$bundle"}`}, "artifact verify": {}, "render": {"$context"},
	"compile": {"$thread", "--stdout"}, "run": {"$thread", "--message-id", "$message", "--", "cat"},
	"thread branch": {"$next"}, "thread handoff": {"$thread", "--summary-artifact-id", "$bundle"}, "thread post-message": {"$thread", "--content", "more"},
	"thread list": {}, "thread get": {"$thread"}, "thread show": {"$thread"}, "thread events": {"$thread"}, "thread lineage": {"$thread"},
	"thread context-selection-status": {"$thread"}, "thread compaction-status": {"$thread"}, "thread compaction-cut-points": {"$thread"}, "thread provider-cursor-status": {"$thread"},
	"thread compaction-auto": {"$thread", "--stride-messages", "1"}, "thread export": {"--rip", "rip"},
	"tape read": {}, "tape search": {"hello"}, "tape context": {}, "tape recover": {}, "tape info": {}, "tape list": {}, "tape anchors": {}, "tape lineage": {}, "tape check": {},
	"tape exec": {",tape.info"}, "tape send": {"--from", "agent:a", "--to", "agent:b", "--reason", "r"}, "tape export": {"exported.out"}, "tape merge": {"side"},
}

// more are other calls of these commands.
var more = map[string][][]string{
	"compile":      {{"$branch", "--stdout"}, {"$next", "--stdout"}, {"$next", "--stdout", "--refs"}, {"$thread", "--explain"}},
	"run":          {{"$next", "--content", "go", "--", "cat"}},
	"render":       {{"$context", "--for", "openai"}},
	"artifact get": {{"$bundle", "--offset", "1", "--max", "3"}, {"$context"}, {"$note"}},
	"thread show":  {{"$branch"}, {"$next"}},
}

// otherCommands are those that print nothing of blobs and streams.
var otherCommands = strings.Split("init,new,lint,fix,rules,show,sync,watch,claim,ack,renew,release,done,agents,gauge,draft,statusline,acp,setup,doctor,"+
	"bundle create,artifact put,artifact ls,artifact gc,artifact schema,thread import,thread repair,trust,thread create,thread ensure,thread archive,thread unarchive,"+
	"thread rename,thread reference,thread provider-cursor-rotate,thread compaction-checkpoint,thread compaction-auto-schedule,tape append,tape handoff,tape fork,"+
	"tape discard,tape reset,tape archives,tape create,tape delete,tape receive,tape import,tape schema,tape book,store check,store drain,schema,completion,demo,man,conformance,"+
	"spawn,relay,hook,"+ // they read documents and receipts, as next and brief do
	"mcp,lsp,serve,"+ // servers, which read as the commands do
	"diff,"+ // compares documents
	"restore,"+ // reads git
	"sessions,audit,"+ // read transcripts of agents
	"task list,task show,task close,task archive,task reopen,task rename,"+ // read documents and metadata
	"store copy", ",") // TestProblems of log/engine/copy damages its source
