package chat

import (
	"strings"

	"handoff/internal/json/jsontext"
)

// Since 0.6 Bub writes messages in the form of its library republic, whose parts
// have other types than those of chat completions: media have a media type and
// data or a URL, and reasoning is a part.

// parts is the content of a message.
type parts struct {
	list      []string // JSON values in the form of chat completions
	texts     int      // how many of them are text
	reasoning []string
	provider  []string // JSON objects for one API only
}

// readParts reads a list of parts. Unknown parts stay as they are.
func readParts(list string) (p parts) {
	items, err := jsontext.Python.Array(list)
	if err != nil {
		return p
	}
	for _, item := range items {
		part := []byte(item)
		kind := textField(part, "type")
		switch {
		case kind == "reasoning" && jsontext.IsText(jsontext.Get(part, "text")):
			p.reasoning = append(p.reasoning, textField(part, "text"))
			continue
		case kind == "provider_data":
			p.provider = append(p.provider, providerData(part))
			continue
		case kind == "text" || jsontext.IsText(item):
			p.texts++
		default:
			if m := media(kind, part); m != nil {
				item = string(m)
			}
		}
		p.list = append(p.list, string(jsontext.Python.AppendValue(nil, item)))
	}
	return p
}

// providerData is a part in the form of the member provider_data.
func providerData(part []byte) string {
	members, err := jsontext.Python.Object(string(part))
	if err != nil {
		return string(part)
	}
	return string(jsontext.Python.AppendMembers(nil, without(members, "type")))
}

// media is an image, audio or video in the form of chat completions, nil if they
// do not have it.
func media(kind string, part []byte) []byte {
	mediaType, data, url := textField(part, "media_type"), textField(part, "data"), textField(part, "url")
	if data == "" {
		if d, ok := strings.CutPrefix(url, "data:"+mediaType+";base64,"); ok {
			data = d
		}
	}
	if url == "" && data != "" && mediaType != "" {
		url = "data:" + mediaType + ";base64," + data
	}
	switch {
	case url == "":
		return nil
	case kind == "image":
		return object(text("type", "image_url"), member("image_url", object(text("url", url))))
	case kind == "video":
		return object(text("type", "video_url"), member("video_url", object(text("url", url))))
	case kind == "audio" && data != "" && audioFormats[mediaType] != "":
		return object(text("type", "input_audio"), member("input_audio", object(text("data", data), text("format", audioFormats[mediaType]))))
	}
	return nil
}

// audioFormats is chat completions' names for the audio that they accept.
var audioFormats = map[string]string{"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3"}

// content is the member of a message with these parts.
func (p parts) content() jsontext.Member {
	if len(p.list) == 0 {
		return text("content", "")
	}
	return jsontext.Member{Name: "content", Value: "[" + strings.Join(p.list, ", ") + "]"}
}

// inChatForm is the members of a message in the form of chat completions. Parts
// are converted; reasoning goes into the member that servers of open models read,
// reasoning_content; data for one API is collected in provider_data.
func (w *writer) inChatForm(members []jsontext.Member) []jsontext.Member {
	var p parts
	out := make([]jsontext.Member, 0, len(members)+1)
	thought, provider := "", []string(nil)
	for _, m := range members {
		switch {
		case m.Name == "content" && strings.HasPrefix(m.Value, "["):
			p = readParts(m.Value)
			m = p.content()
		case m.Name == "reasoning" && jsontext.IsText(m.Value):
			thought = jsontext.Text(m.Value)
			continue
		case m.Name == "provider_data" && strings.HasPrefix(m.Value, "["):
			provider, _ = jsontext.Python.Array(m.Value)
			continue
		}
		out = append(out, m)
	}
	thought = strings.Join(append(p.reasoning, nonEmpty(thought)...), "")
	if w.options.WithoutReasoning {
		return without(out, "reasoning_content")
	}
	if provider = append(p.provider, provider...); len(provider) > 0 {
		out = append(out, jsontext.Member{Name: "provider_data", Value: "[" + strings.Join(provider, ", ") + "]"})
	}
	if thought != "" {
		out = append(without(out, "reasoning_content"), text("reasoning_content", thought))
	}
	return out
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// resultContent is the result of a tool: text as it is, parts as parts, and
// anything else as JSON.
func resultContent(result []byte) jsontext.Member {
	if result == nil {
		return text("content", noResult)
	}
	if textField(result, "type") == "tool_content" && strings.HasPrefix(jsontext.Get(result, "content"), "[") {
		p := readParts(jsontext.Get(result, "content"))
		if p.texts < len(p.list) {
			return p.content()
		}
		said := ""
		for _, part := range p.list {
			said += partText(part)
		}
		return text("content", said)
	}
	if jsontext.IsText(string(result)) {
		return text("content", jsontext.Text(string(result)))
	}
	return text("content", string(jsontext.Python.AppendValue(nil, string(result))))
}

// partText is the text of a part.
func partText(part string) string {
	if jsontext.IsText(part) {
		return jsontext.Text(part)
	}
	return textField([]byte(part), "text")
}

func member(name string, value []byte) jsontext.Member {
	return jsontext.Member{Name: name, Value: string(value)}
}
