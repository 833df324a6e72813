module example.com/shop

go 1.22

require example.com/text v0.0.0

replace example.com/text => ./text
