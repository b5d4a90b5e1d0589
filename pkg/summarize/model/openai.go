package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/ihmt/ihmt/pkg/summarize"
)

const openAI = "https://api.openai.com/v1"

// chat asks an endpoint for chat completions: POST {base}/chat/completions
// with a model and messages, answered by choices[0].message.content. Nothing
// else is sent, since servers differ in the options that they take.
type chat struct {
	client *http.Client
	url    string
	model  string
	key    string
}

func newChat(s summarize.Settings) (chat, error) {
	base := s.BaseURL
	if base == "" {
		base = openAI
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return chat{}, fmt.Errorf("%q is no base URL of an API: give one such as http://localhost:11434/v1", base)
	}
	if s.Model == "" {
		return chat{}, errors.New("the openai back end needs the name of a model: set summarizer_model")
	}
	return chat{newHTTP(s.Timeout), u.JoinPath("chat/completions").String(), s.Model, os.Getenv("OPENAI_API_KEY")}, nil
}

func (chat) Name() string { return summarize.OpenAI }

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type question struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
}

type answer struct {
	Choices []struct {
		Message message `json:"message"`
	} `json:"choices"`
}

func (c chat) Summarize(ctx context.Context, domain string, layer int, nodes []summarize.Node) (summarize.Summary, error) {
	if c.key == "" && strings.HasPrefix(c.url, openAI) {
		return summarize.Summary{}, &summarize.Failure{Kind: summarize.NoKey, Err: errors.New("OPENAI_API_KEY is not set")}
	}
	body, err := c.ask(ctx, question{c.model, []message{
		{"system", instructions},
		{"user", material(domain, layer, nodes)},
	}})
	if err != nil {
		return summarize.Summary{}, failure(ctx, err)
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil || len(a.Choices) == 0 {
		return summarize.Summary{}, &summarize.Failure{Kind: summarize.Unusable, Err: fmt.Errorf("%s answered %d bytes that are no chat completion", c.url, len(body))}
	}
	return summarize.ParseReply([]byte(a.Choices[0].Message.Content))
}

func (c chat) ask(ctx context.Context, q question) ([]byte, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.url, err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answered %s: %.200s", c.url, response.Status, reply)
	}
	return reply, nil
}
