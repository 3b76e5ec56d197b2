import { expect, test } from 'vitest'
import { brandRules } from '../../server/pages/brand.ts'
import { Boot } from '../../src/wire/boot.ts'

function luminance(hex: string) {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
function contrast(a: string, b: string) {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}
const full = (hex: string) => (hex.length === 4 ? `#${[...hex.slice(1)].map((d) => d + d).join('')}` : hex)
const read = (rule: string) =>
  Object.fromEntries([...rule.matchAll(/--(fill|on|accent):(#[0-9a-f]+)/g)].map(([, name, value]) => [name, full(value!)])) as {
    fill: string
    on: string
    accent: string
  }

test('default: 216 brand colours are readable in light and in dark', () => {
  const steps = [0, 51, 102, 153, 204, 255]
  for (const r of steps)
    for (const g of steps)
      for (const b of steps) {
        const color = `#${[r, g, b].map((v) => v.toString(16).padStart(2, '0')).join('')}`
        const rules = brandRules(color)!
        const light = read(rules.split('[data-theme=dark]')[0]!)
        const dark = read(rules.split('[data-theme=dark]')[1]!)
        expect(contrast(light.fill, light.on), `text on ${color}`).toBeGreaterThanOrEqual(4.5)
        expect(contrast(dark.fill, dark.on), `text on ${color}, dark`).toBeGreaterThanOrEqual(4.5)
        for (const background of ['#ffffff', '#f3f5f6'])
          expect(contrast(light.accent, background), `accent ${color}`).toBeGreaterThanOrEqual(4.5)
        for (const background of ['#171b1e', '#0f1214'])
          expect(contrast(dark.accent, background), `accent ${color}, dark`).toBeGreaterThanOrEqual(4.5)
        expect(Boot.shape.shell.shape.brand.safeParse(rules).success).toBe(true)
      }
})

test('error: an invalid colour makes no rule', () => {
  for (const bad of ['red', '#fff', '#12345g', '#000000;}body{', '']) expect(brandRules(bad)).toBeUndefined()
})
