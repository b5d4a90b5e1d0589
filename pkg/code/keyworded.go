package code

func parseRuby(string) []Symbol  { return nil }
func parseLua(string) []Symbol   { return nil }
func parseShell(string) []Symbol { return nil }
func parseSQL(string) []Symbol   { return nil }
