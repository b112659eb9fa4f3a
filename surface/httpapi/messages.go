package httpapi

import (
	"context"
	"handoff/internal/web/openapi"
	"net/http"
	"reflect"
	"strings"

	"handoff/log/thread"
	"handoff/log/thread/runner"
)

type messageBody struct {
	thread.MessageRequest
	Provider *openResponses `json:"openresponses" doc:"provider settings of RIP; ignored, and reported in the response header Handoff-Ignored"`
}

// openResponses are RIP's settings for its provider. They are validated as RIP
// does, and ignored, because runs here execute a command: the response and the
// log report that.
type openResponses struct {
	Endpoint          *string              `json:"endpoint" doc:"URL"`
	Model             *string              `json:"model" doc:"model name"`
	StatelessHistory  *bool                `json:"stateless_history" doc:"send the whole history"`
	ParallelToolCalls *bool                `json:"parallel_tool_calls" doc:"allow parallel tool calls"`
	Include           []string             `json:"include" enum:"file_search_call.results,web_search_call.results,web_search_call.action.sources,message.input_image.image_url,computer_call_output.output.image_url,code_interpreter_call.outputs,reasoning.encrypted_content,message.output_text.logprobs" doc:"what a response includes"`
	FollowupMessage   *string              `json:"followup_user_message" doc:"message sent after tool calls"`
	WebSearch         *openResponsesSearch `json:"web_search" doc:"web search settings"`
	Reasoning         *openResponsesReason `json:"reasoning" doc:"reasoning settings"`
}

type openResponsesSearch struct {
	Enabled      *bool                  `json:"enabled" doc:"whether web search is enabled"`
	ContextSize  *string                `json:"search_context_size" enum:"low,medium,high" doc:"amount of search context"`
	External     *bool                  `json:"external_web_access" doc:"access the live web"`
	UserLocation *openResponsesLocation `json:"user_location" doc:"the user's location"`
}

type openResponsesLocation struct {
	Country  *string `json:"country" doc:"country"`
	Region   *string `json:"region" doc:"region"`
	City     *string `json:"city" doc:"city"`
	Timezone *string `json:"timezone" doc:"time zone"`
}

type openResponsesReason struct {
	Effort  *string `json:"effort" enum:"none,minimal,low,medium,high,xhigh" doc:"reasoning effort"`
	Summary *string `json:"summary" enum:"concise,detailed,auto" doc:"how detailed the reasoning summary is"`
}

type messagePosted struct {
	ThreadID  string `json:"thread_id" doc:"thread ID"`
	MessageID string `json:"message_id" doc:"ID of the new message"`
	SessionID string `json:"session_id" doc:"ID of the run started for it; empty for a message that is queued"`
	Queued    bool   `json:"queued,omitempty" doc:"the store is away: the message waits in the outbox, and gets no run"`

	ignored []string // members of the request that had no effect
}

// SetHeaders lists them in [openapi.Ignored].
func (m messagePosted) SetHeaders(h http.Header) {
	if len(m.ignored) > 0 {
		h.Add(openapi.Ignored, strings.Join(m.ignored, ", "))
	}
}

// set lists the members that a request sets, as paths.
func (p *openResponses) set() (names []string) {
	if p == nil {
		return nil
	}
	v := reflect.ValueOf(*p)
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			names = append(names, "openresponses."+v.Type().Field(i).Tag.Get("json"))
		}
	}
	return names
}

// postMessage appends a message and starts a run for it.
func (s *Server) postMessage(ctx context.Context, id string, r messageBody) (messagePosted, error) {
	o := s.runOptions(id)
	o.Content, o.Key, o.Refs, o.ActorID, o.Origin = r.Content, r.Key, r.Refs, r.ActorID, r.Origin
	run, err := s.startRun(context.WithoutCancel(ctx), o, r.MessageRequest)
	if err != nil {
		return messagePosted{}, err
	}
	if run.ID != "" && !run.Ended() {
		s.finish(run)
	}
	ignored := r.Provider.set()
	if len(ignored) > 0 {
		s.Log.Warn("provider settings are ignored: runs use --runner", "run", run.ID, "settings", strings.Join(ignored, ", "))
	}
	return messagePosted{id, run.MessageID, run.ID, run.ID == "", ignored}, nil
}

// runOptions are those of the runs of a thread.
func (s *Server) runOptions(id string) runner.Options {
	o := s.Threads.RunOptions()
	o.ThreadID, o.Queue = id, s.queue
	o.Command, o.Render, o.Context.Base, o.Context.Budget, o.Context.Refs, o.Context.RefsText = s.Command, s.Form, true, s.Budget, s.Refs, s.RefsText
	return o
}

// startRun starts a run for a message, which is finished even if the client disconnects.
// While the store is unreachable, a message that no command answers is queued, without a
// run.
func (s *Server) startRun(ctx context.Context, o runner.Options, r thread.MessageRequest) (run *runner.Run, err error) {
	if !s.Threads.Queues() || len(o.Command) > 0 || len(r.Refs.Threads) > 0 {
		return runner.Start(ctx, o)
	}
	if o.PostID = s.NewID(); o.Key != "" {
		o.PostID = thread.MessageID(o.ThreadID, o.Key)
	}
	p, err := s.Threads.PostBy(ctx, o.ThreadID, o.PostID, r, func(ctx context.Context) (err error) {
		run, err = runner.Start(ctx, o)
		return err
	})
	if p.Queued {
		s.Log.Warn("the store is away: a message is queued", "thread", p.ThreadID, "message", p.MessageID, "error", p.Waits.Why)
		run = &runner.Run{MessageID: p.MessageID}
	}
	return run, err
}
