package httpapi

import (
	"context"

	"handoff/runner"
)

type messageInput struct {
	threadInput
	Body messageBody
}

type messageBody struct {
	Content string `json:"content" doc:"the message, to which a run is started"`
	who
	Provider *openResponses `json:"openresponses" doc:"what RIP sets up a provider by; passed over"`
}

// openResponses is what RIP takes for its provider. It is checked as RIP does,
// and passed over: runs here are by a command.
type openResponses struct {
	Endpoint          *string              `json:"endpoint" doc:"a URL"`
	Model             *string              `json:"model" doc:"a model"`
	StatelessHistory  *bool                `json:"stateless_history" doc:"send all of the history"`
	ParallelToolCalls *bool                `json:"parallel_tool_calls" doc:"call several tools at once"`
	Include           []string             `json:"include" enum:"file_search_call.results,web_search_call.results,web_search_call.action.sources,message.input_image.image_url,computer_call_output.output.image_url,code_interpreter_call.outputs,reasoning.encrypted_content,message.output_text.logprobs" doc:"what an answer includes"`
	FollowupMessage   *string              `json:"followup_user_message" doc:"said after tools were called"`
	WebSearch         *openResponsesSearch `json:"web_search" doc:"how the web is searched"`
	Reasoning         *openResponsesReason `json:"reasoning" doc:"how much is thought"`
}

type openResponsesSearch struct {
	Enabled      *bool                  `json:"enabled" doc:"whether it is"`
	ContextSize  *string                `json:"search_context_size" enum:"low,medium,high" doc:"how much is found"`
	External     *bool                  `json:"external_web_access" doc:"the live web"`
	UserLocation *openResponsesLocation `json:"user_location" doc:"where the user is"`
}

type openResponsesLocation struct {
	Country  *string `json:"country" doc:"a country"`
	Region   *string `json:"region" doc:"a region"`
	City     *string `json:"city" doc:"a city"`
	Timezone *string `json:"timezone" doc:"a time zone"`
}

type openResponsesReason struct {
	Effort  *string `json:"effort" enum:"none,minimal,low,medium,high,xhigh" doc:"how much is thought"`
	Summary *string `json:"summary" enum:"concise,detailed,auto" doc:"how much of it is told"`
}

type messagePosted struct {
	ThreadID  string `json:"thread_id" doc:"the thread"`
	MessageID string `json:"message_id" doc:"the message that was posted"`
	SessionID string `json:"session_id" doc:"the run that was started for it"`
}

// postMessage appends a message and starts a run for it.
func (s *Server) postMessage(ctx context.Context, in messageInput) (messagePosted, error) {
	if err := known(in.ID); err != nil {
		return messagePosted{}, err
	}
	o := s.Threads.RunOptions()
	o.ThreadID, o.Content, o.ActorID, o.Origin = in.ID, in.Body.Content, in.Body.actor(), in.Body.origin()
	o.Command, o.Render, o.Context.Base, o.Context.Budget, o.Context.Refs = s.Command, s.Form, true, s.Budget, s.Refs
	// The client may go away now: what is begun is seen through.
	run, err := runner.Start(context.WithoutCancel(ctx), o)
	if err != nil {
		return messagePosted{}, refused(err, "", "the message cannot be kept")
	}
	s.finish(run)
	return messagePosted{in.ID, run.MessageID, run.ID}, nil
}
