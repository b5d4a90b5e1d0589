// Package gui is the window: a page on loopback that shows what a memory
// holds, explains searches, and connects agents.
//
// The page never reads the memory itself. Each answer of the server is what
// sibling tools print, as their JSON lines, and carries the shell line that
// prints the same. The server only reads, with two exceptions that a person
// asks for: making an empty memory, and connecting an agent.
//
// Who may ask is settled before anything else: the address that the server
// prints holds a random token, which is exchanged for a SameSite cookie; every
// request is checked for that cookie, its Host, and its Origin. What comes out
// of a memory is data to the page and never markup: the page builds its
// elements one by one, and its Content-Security-Policy turns off everything
// that could run a string.
package gui
