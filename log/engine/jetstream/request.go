package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

// errNoAnswer: the request may have been carried out.
var errNoAnswer = errors.New("no answer")

// call sends a request and waits for the answer. After an error that wraps errNoAnswer
// it is unknown whether a server got the request; after any other error none did.
func (e *Engine) call(ctx context.Context, request *nats.Msg) (*nats.Msg, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	link := e.link.Load()
	limited, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	defer context.AfterFunc(link, cancel)()
	answer, err := e.nc.RequestMsgWithContext(limited, request)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, fmt.Errorf("%w: %w", engine.ErrTooLarge, err)
	case errors.Is(err, nats.ErrNoResponders):
		return nil, fmt.Errorf("%w: no node answers for the stream: it has no leader, or was deleted", engine.ErrUnavailable)
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		return nil, fmt.Errorf("%w: the connection to the server is lost", engine.ErrUnavailable)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: %w", errNoAnswer, ctx.Err())
	case e.refused(request.Subject) != nil:
		return nil, e.refused(request.Subject)
	case link.Err() != nil:
		return nil, fmt.Errorf("%w: the connection to the server was lost", errNoAnswer)
	case limited.Err() != nil:
		return nil, fmt.Errorf("%w within %v", errNoAnswer, e.o.Timeout)
	}
	return nil, fmt.Errorf("%w: %w", errNoAnswer, err)
}

// refused is the error if the user may not send to a subject.
func (e *Engine) refused(subject string) error {
	if err := e.refusal.Load(); err != nil && strings.Contains((*err).Error(), `"`+subject+`"`) {
		return fmt.Errorf("the server does not permit it: %w", *err)
	}
	return nil
}

// askAgain is after how long a request without an answer is sent again, the first time.
const askAgain = 400 * time.Millisecond

// ask is call for requests that change nothing: one without an answer can be repeated.
// A request that was sent when the stream had no leader is never answered, so it is sent again
// meanwhile; the first answer to any of them counts.
func (e *Engine) ask(ctx context.Context, subject string, data []byte) (*nats.Msg, error) {
	type result struct {
		answer *nats.Msg
		err    error
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	const most = 5 // within the time of one request
	results := make(chan result, most)
	again := time.NewTimer(0)
	defer again.Stop()
	for sent, pause := 0, askAgain; ; {
		select {
		case <-again.C:
			go func() {
				answer, err := e.call(asking, &nats.Msg{Subject: subject, Data: data})
				results <- result{answer, err}
			}()
			if sent++; sent < most {
				again.Reset(pause)
				pause *= 2
			}
		case r := <-results:
			if errors.Is(r.err, errNoAnswer) && ctx.Err() == nil {
				return nil, fmt.Errorf("%w: %w", engine.ErrUnavailable, r.err)
			}
			return r.answer, r.err
		}
	}
}

// Error codes of the server.
const (
	codeNoMessage      = 10037
	codeNoStream       = 10059
	codeTooLarge       = 10054
	codeMoved          = 10071
	codeMoving         = 10164 // another message for the subject is not yet committed
	codeNotReady       = 10163
	codeNotLeader      = 10009
	codeTooManyBatches = 10210
	codeIncomplete     = 10176 // a message of a batch did not arrive
	codeBatchTooLarge  = 10199
	codeSingleServer   = 10074
	codeNoPeers        = 10005 // too few nodes to create a stream on, as while a cluster starts
)

// apiError is an error in an answer.
type apiError struct {
	Code    int    `json:"err_code"`
	Status  int    `json:"code"`
	Message string `json:"description"`
}

func (a *apiError) Error() string { return fmt.Sprintf("%s (NATS error %d)", a.Message, a.Code) }

// Unwrap is the kind of the error. The server sends an error only if it did nothing.
func (a *apiError) Unwrap() error {
	switch {
	case a.Code == codeTooLarge, a.Code == codeBatchTooLarge:
		return engine.ErrTooLarge
	case a.Code == codeNoStream:
		return ErrNoStream
	case a.Status == 503, a.Code == codeNotLeader, a.Code == codeTooManyBatches, a.Code == codeIncomplete, a.Code == codeNotReady, a.Code == codeNoPeers:
		return engine.ErrUnavailable
	}
	return nil
}

// code is the server's code of an error, or 0.
func code(err error) int {
	var a *apiError
	if errors.As(err, &a) {
		return a.Code
	}
	return 0
}

// failed is the part of each answer that has the error.
type failed struct {
	Error *apiError `json:"error"`
}

func (f *failed) failure() *apiError { return f.Error }

// api asks the JetStream API, and decodes the answer, unless it is an error.
func (e *Engine) api(ctx context.Context, what string, request any, answer interface{ failure() *apiError }) error {
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	m, err := e.ask(ctx, "$JS.API."+what+"."+e.o.Stream, data)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(m.Data, answer); err != nil {
		return fmt.Errorf("cannot read the answer to %s: %w", what, err)
	}
	if err := answer.failure(); err != nil {
		return err
	}
	return nil
}
