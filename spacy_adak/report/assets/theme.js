// Light or dark: as the system has it, until the reader chooses.
const THEME_KEY = "adak-theme";

function storedTheme() {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;
  }
}

function setTheme(theme) {
  if (theme !== "light" && theme !== "dark") return;
  document.documentElement.dataset.theme = theme;
}

function toggleTheme() {
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = isDark ? "light" : "dark";
  setTheme(theme);
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // It is then chosen for as long as the page is open.
  }
  return theme;
}

setTheme(storedTheme());
