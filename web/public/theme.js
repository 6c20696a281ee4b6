// Runs before the first paint, so that the other theme never flashes. A separate file, because the
// content security policy does not allow inline scripts.
try {
  const theme = localStorage.getItem("portico.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // Storage is unavailable: use the system theme.
}
