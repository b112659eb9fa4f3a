package engine_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"handoff/log/engine"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]engine.Address{
		"files":                        {},
		"git:origin":                   {Remote: "origin"},
		"git:my-team.2":                {Remote: "my-team.2"},
		"git:https://host/team/x.git":  {Remote: "https://host/team/x.git"},
		"git:ssh://git@host:22/x":      {Remote: "ssh://git@host:22/x"},
		"nats://host/HANDOFF":          {Servers: []string{"nats://host:4222"}, Stream: "HANDOFF"},
		"tls://a:1,b,10.0.0.1:3/s-1_X": {Servers: []string{"tls://a:1", "tls://b:4222", "tls://10.0.0.1:3"}, Stream: "s-1_X"},
		"nats://[::1]:9,[fe80::1]/S":   {Servers: []string{"nats://[::1]:9", "nats://[fe80::1]:4222"}, Stream: "S"},
	} {
		got, err := engine.ParseAddress(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
		again, err := engine.ParseAddress(got.String())
		if err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%s: its text is %s, which is %+v, %v", text, got, again, err)
		}
		if got.IsFiles() != (text == "files") {
			t.Errorf("%s: IsFiles is %v", text, got.IsFiles())
		}
	}
}

func TestParseAddressErrors(t *testing.T) {
	for text, says := range map[string]string{
		"": "want files, git:REMOTE or nats:", "file": "want files", "s3://bucket": "want files", "files:/tmp": "want files", " files": "space", "git:a\nb": "control",
		"git:": "the name of a remote", "git:--upload-pack=x": "the name of a remote", "git:../evil": "the name of a remote", "git:evil/x": "the name of a remote", "git:ext::sh": "the name of a remote",
		"git:user@host:path": "the name of a remote", "git:file:///tmp/evil.git": "git remote add", "git:ext::sh://x/y": "git remote add", "git:https://h:x/y": "cannot be parsed", "git:ssh://-oProxyCommand=x/y": "no valid host", "git:https:///x": "no valid host",
		"git:https://token@host/x": "credential helper", "git:https://u:p@host/x": "credential helper", "git:ssh://u:p@host/x": "credential helper",
		"nats:host/S": "no host", "nats:///S": "no host", "nats://host": "STREAM", "nats://host/": "STREAM", "nats://host/a.b": "STREAM", "nats://host/a/b": "STREAM", "nats://host/*": "STREAM",
		"nats://host/" + strings.Repeat("s", 101): "STREAM",
		"nats://token@host/S":                     "HANDOFF_STORE_TOKEN", "nats://u:p@host/S": "HANDOFF_STORE_CREDS", "nats://host,,b/S": "separated by commas", "nats://host:x/S": "separated by commas",
		"nats://host:0/S": "separated by commas", "nats://host:70000/S": "separated by commas", "nats://::1/S": "separated by commas", "nats://a?x/S": "separated by commas",
	} {
		_, err := engine.ParseAddress(text)
		if !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
		if err != nil && (strings.Contains(err.Error(), "token@") || strings.Contains(err.Error(), "u:p")) {
			t.Errorf("%q: the error repeats the credentials: %v", text, err)
		}
	}
}
