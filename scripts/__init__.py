"""What the project runs beside the commands of the package."""
