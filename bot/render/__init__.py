"""What players read: letters, forum posts and pictures made from what one viewer may know, and from nothing else."""
