"""Charts as inline SVG, readable on light and dark, on paper and in notebooks."""
