package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/ihmt/ihmt/pkg/summarize"
)

// claude asks Anthropic's models. The default one is the fastest: a tree asks
// for many short summaries.
type claude struct {
	client  anthropic.Client
	model   anthropic.Model
	hasKey  bool
	timeout time.Duration // for an answer, the second try included
}

func newClaude(s summarize.Settings) claude {
	key := os.Getenv("ANTHROPIC_API_KEY")
	options := []option.RequestOption{
		option.WithAPIKey(key),
		option.WithHTTPClient(newHTTP(s.Timeout)),
		option.WithMaxRetries(1),
	}
	if s.BaseURL != "" {
		options = append(options, option.WithBaseURL(s.BaseURL))
	}
	model := s.Model
	if model == "" {
		model = anthropic.ModelClaudeHaiku5_5
	}
	return claude{anthropic.NewClient(options...), model, key != "", s.Timeout}
}

func (claude) Name() string { return summarize.Anthropic }

func (c claude) Summarize(ctx context.Context, domain string, layer int, nodes []summarize.Node) (summarize.Summary, error) {
	if !c.hasKey {
		return summarize.Summary{}, &summarize.Failure{Kind: summarize.NoKey, Err: errors.New("ANTHROPIC_API_KEY is not set")}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	message, err := c.client.Messages.New(ctx, anthropic.MessageNewParams{
		Model:     c.model,
		MaxTokens: answerTokens,
		System:    []anthropic.TextBlockParam{{Text: instructions}},
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(material(domain, layer, nodes)))},
	})
	if err != nil {
		return summarize.Summary{}, failure(ctx, err)
	}
	var reply strings.Builder
	for _, block := range message.Content {
		if block.Type == "text" {
			reply.WriteString(block.Text)
		}
	}
	s, err := summarize.ParseReply([]byte(reply.String()))
	if err != nil && message.StopReason == anthropic.StopReasonMaxTokens {
		err = fmt.Errorf("the model's answer was cut at %d tokens: %w", answerTokens, err)
	}
	return s, err
}
