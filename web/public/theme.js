// Runs before the first paint, so that a chosen theme never flashes the other one. A file of its
// own because the content security policy allows no script in the page.
try {
  const theme = localStorage.getItem("portico.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // No storage: the system's theme it is.
}
