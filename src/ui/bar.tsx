interface BarProps {
  readonly label: string
  readonly text: string
  /** This share of the bar is filled, from 0 to 1. */
  readonly value: number
  /** Draws the bar as this many separate pieces, or as one if there would be more than `maxPieces`. */
  readonly pieces?: number
}

const maxPieces = 40

/** The width is an SVG attribute, because the page's Content-Security-Policy blocks style attributes. */
export const Bar = ({ label, text, value, pieces }: BarProps) => {
  const cut = pieces !== undefined && pieces > 1 && pieces <= maxPieces ? pieces : 1
  const filled = Math.max(0, Math.min(1, value))
  return (
    <svg
      class={cut > 1 ? 'bar ticks' : 'bar'}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(filled * 100)}
      aria-valuetext={text}
    >
      {cut === 1
        ? [<rect class="off" width="100" height="8" />, <rect width={(filled * 100).toFixed(2)} height="8" />]
        : Array.from({ length: cut }, (_, at) => (
            <rect
              class={at < Math.round(filled * cut) ? undefined : 'off'}
              x={((at * 100) / cut).toFixed(2)}
              width={(100 / cut - (at < cut - 1 ? 0.9 : 0)).toFixed(2)}
              height="8"
            />
          ))}
    </svg>
  )
}
