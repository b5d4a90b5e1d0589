package mcp

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var no = false

// reads are the hints of a tool that changes nothing.
func reads() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}
}

// adds are the hints of a tool that adds and takes nothing away.
func adds() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no}
}

func (s *Server) addTools() {
	addTool(s, &sdk.Tool{Name: "search_memory", Title: "Search memory", Annotations: reads(),
		Description: "Find what was saved. The best memory with its date, one line for every other; OUTDATED and AMBIGUOUS are said."}, describeSearch, searchMemory)
	addTool(s, &sdk.Tool{Name: "save_memory", Title: "Save memory", Annotations: adds(),
		Description: "Keep a memory for later sessions. Answers once it is on disk, with what it changes and what is similar."}, describeSave, saveMemory)
	addTool(s, &sdk.Tool{Name: "memory_timeline", Title: "Timeline of facts", Annotations: reads(),
		Description: "Facts such as location, employer, tools, diagnosis: what holds now, what held on a day, what changed when."}, nil, memoryTimeline)
	addTool(s, &sdk.Tool{Name: "project_map", Title: "Map of a project", Annotations: reads(),
		Description: "Files of a source tree, or their symbols."}, describeMap, projectMap)
	addTool(s, &sdk.Tool{Name: "find_code", Title: "Find code", Annotations: reads(),
		Description: "The function, type or section that a query names or describes, with its lines, from the files as they are now."}, describeFind, findCode)
	addTool(s, &sdk.Tool{Name: "read_file", Title: "Read a file", Annotations: reads(),
		Description: "A text file or a range of it. Read again: UNCHANGED, or only what changed."}, describeRead, readFile)
	addTool(s, &sdk.Tool{Name: "note", Title: "Note", Annotations: adds(),
		Description: "Keep something for this session only."}, nil, note)
	addTool(s, &sdk.Tool{Name: "recall", Title: "Recall a note", Annotations: reads(),
		Description: "Find what this session noted or digested."}, nil, recall)
	addTool(s, &sdk.Tool{Name: "digest_output", Title: "Digest output", Annotations: adds(),
		Description: "The errors, failures, warnings and totals of a long build or test output; the whole is kept for recall."}, describeDigest, digestOutput)
}
