// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"strings"
)

// Weather is an entry of a fixed table. It never changes, whatever the sky does.
type Weather struct {
	City        string `json:"city"`
	Condition   string `json:"condition"`
	Temperature int    `json:"temperature_celsius"`
	Note        string `json:"note"`
}

// WeatherNote goes with every [Weather], so that no one takes it for a forecast.
const WeatherNote = "Fixed example data, the same every day: not a measurement and not a forecast."

// CityWeather looks a city up, whatever its case, or refuses with [UnknownCity].
func CityWeather(city string) (Weather, error) {
	table := []Weather{
		{"Berlin", "cloudy", 4, WeatherNote},
		{"Lisbon", "sunny", 16, WeatherNote},
		{"Nairobi", "light rain", 21, WeatherNote},
		{"Shanghai", "clear", 9, WeatherNote},
		{"Toronto", "snow", -3, WeatherNote},
	}
	names := make([]string, 0, len(table))
	for _, w := range table {
		if strings.EqualFold(w.City, strings.TrimSpace(city)) {
			return w, nil
		}
		names = append(names, w.City)
	}
	return Weather{}, refuse(UnknownCity, "there is no data for that city", "there is for "+strings.Join(names, ", "))
}
