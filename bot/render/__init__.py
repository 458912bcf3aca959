"""The letters, forum posts and pictures that players see, made only from what one viewer may know."""
