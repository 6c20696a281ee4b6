/** The logo: a portico. */
export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className="size-6 shrink-0">
    <rect width="32" height="32" rx="8" className="fill-accent" />
    <path
      d="M7 11.5 16 6l9 5.5M8.5 14v9M13.5 14v9M18.5 14v9M23.5 14v9M7 25.5h18"
      className="fill-none stroke-on-accent"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
