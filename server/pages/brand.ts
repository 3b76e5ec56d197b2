/**
 * Derives the filled button, the text on it and an accent from the merchant's colour. Where readability needs it (WCAG AA), button and
 * accent become lighter or darker but keep their hue. CSS cannot do this in browsers without relative colours.
 */
export function brandRules(color: string): string | undefined {
  const rgb = parseHex(color)
  if (!rgb) return undefined
  const lch = toLch(rgb)
  const [light, dark] = [lightRule(lch), darkRule(lch)]
  return `:root,[data-theme=light]{${light}}[data-theme=dark]{${dark}}@media(prefers-color-scheme:dark){:root:not([data-theme]){${dark}}}`
}

/** Returns the colour of the browser's toolbar, or undefined for anything but a hex colour. */
export const themeColorOf = (color: string | undefined): string | undefined => (color && parseHex(color) ? color.toLowerCase() : undefined)

type Rgb = readonly [number, number, number]
type Lch = readonly [l: number, c: number, h: number]

/** Text on the fill is white up to this luminance and black above it. At this luminance both have a contrast of more than 4.5:1. */
const whiteTextUpTo = 0.179
/** In the light theme, on white and pale grey, an accent's luminance is at most `most`. */
const light = { most: 0.13 } as const
/** In the dark theme the fill's and the accent's lightness are at least these, and the accent's chroma is at most `chroma`. */
const dark = { fill: 0.51, accent: 0.78, chroma: 0.12 } as const

const lightRule = (lch: Lch): string => rule(lch, darkened(lch, light.most))

const darkRule = ([l, c, h]: Lch): string => rule([Math.max(l, dark.fill), c, h], [Math.max(l, dark.accent), Math.min(c, dark.chroma), h])

function rule(fill: Lch, accent: Lch): string {
  const on = luminance(toRgb(fill)) > whiteTextUpTo ? '#000' : '#fff'
  return `--fill:${hex(toRgb(fill))};--on:${on};--accent:${hex(toRgb(accent))}`
}

function darkened([l, c, h]: Lch, most: number): Lch {
  let next: Lch = [l, c, h]
  while (luminance(toRgb(next)) > most && next[0] > 0) next = [next[0] - 0.01, c, h]
  return next
}

function parseHex(color: string): Rgb | undefined {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color)
  if (!match) return undefined
  const [, r = '0', g = '0', b = '0'] = match
  return [linear(Number.parseInt(r, 16) / 255), linear(Number.parseInt(g, 16) / 255), linear(Number.parseInt(b, 16) / 255)]
}

const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const gamma = (value: number): number => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)
const clamp = (value: number): number => Math.min(1, Math.max(0, value))
const hex = (rgb: Rgb): string =>
  `#${rgb
    .map((value) =>
      Math.round(gamma(value) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
const luminance = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b

/** In OKLCH lightness is perceptual, so a lightened colour keeps its hue. */
function toLch([r, g, b]: Rgb): Lch {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, bb), Math.atan2(bb, a)]
}

/** A colour outside the sRGB gamut loses chroma, not hue. */
function toRgb([lightness, c, h]: Lch): Rgb {
  for (let chroma = c; ; chroma -= 0.004) {
    const rgb = rawRgb([lightness, Math.max(0, chroma), h])
    if (chroma <= 0 || rgb.every((value) => value > -0.0005 && value < 1.0005)) return [clamp(rgb[0]), clamp(rgb[1]), clamp(rgb[2])]
  }
}

function rawRgb([lightness, c, h]: Lch): Rgb {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}
