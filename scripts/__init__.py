"""What the project runs in addition to the commands of the package."""
