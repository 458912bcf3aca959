"""Tables that form by mail: what people ask for, who may sit at a table, when its game starts, and the letters about
it."""
