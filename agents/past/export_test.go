package past

var HashOf = hash
