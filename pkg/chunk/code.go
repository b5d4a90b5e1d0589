package chunk

// codeBlocks divides code at its symbols.
func codeBlocks(text, language string, maxTokens int) []Block { return nil }
