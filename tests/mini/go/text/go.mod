module example.com/wording
