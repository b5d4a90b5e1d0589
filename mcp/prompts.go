package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *Server) addPrompts() {
	s.addPrompt("remember", "Remember this", "Save what matters of this conversation.", "what", "What to save; without it, all that matters", func(what string) string {
		if what == "" {
			what = "what will matter in later sessions: decisions with their reasons, preferences, facts about me, fixes that were hard to find"
		}
		return fmt.Sprintf("Save to memory: %s. Search first for what is there already, and use replaces where it has changed. One subject a call to save_memory, whole sentences, the date first. No secrets. Then tell me in a line each what you saved, and every notice.", what)
	})
	s.addPrompt("recall", "What do you remember?", "Tell what the memory holds about a subject.", "subject", "What to look for", func(subject string) string {
		if subject == "" {
			subject = "this project and what I am working on"
		}
		return fmt.Sprintf("Look in the memory for %s: search_memory, with two or three wordings, and memory_timeline for facts. Tell me what is known, with dates. Say what is OUTDATED, ask me where it is AMBIGUOUS, and say plainly what is not there.", subject)
	})
}

// addPrompt offers a prompt with one argument that may be left out.
func (s *Server) addPrompt(name, title, about, argument, means string, text func(string) string) {
	s.sdk.AddPrompt(&sdk.Prompt{Name: name, Title: title, Description: about, Arguments: []*sdk.PromptArgument{{Name: argument, Description: means}}},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Description: about, Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: text(req.Params.Arguments[argument])}}}}, nil
		})
}
