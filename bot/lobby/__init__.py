"""Tables that form by mail: what people ask, who may sit, when a game starts, and the letters about it."""
