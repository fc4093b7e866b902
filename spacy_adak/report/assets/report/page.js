document.getElementById("theme").addEventListener("click", toggleTheme);
