"""What players read: letters made from what one viewer may know, and from nothing else."""
