package text

func leadingDate(s string, order DateOrder) (LeadingResult, bool) { return LeadingResult{}, false }
func findDates(s string, order DateOrder) []DateRange             { return nil }
