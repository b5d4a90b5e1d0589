package record

import "encoding/json"

// IDs are ids of leaves. In JSON one id stands as a text, several as a list.
type IDs []string

// MarshalJSON writes a text or a list.
func (ids IDs) MarshalJSON() ([]byte, error) {
	if len(ids) == 1 {
		return json.Marshal(ids[0])
	}
	return json.Marshal([]string(ids))
}

// UnmarshalJSON reads a text, "" for none, or a list.
func (ids *IDs) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '"' {
		return json.Unmarshal(data, (*[]string)(ids))
	}
	var id string
	if err := json.Unmarshal(data, &id); err != nil {
		return err
	}
	*ids = nil
	if id != "" {
		*ids = IDs{id}
	}
	return nil
}
