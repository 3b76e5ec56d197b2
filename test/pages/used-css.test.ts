import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namesOf, readCss, usedCss } from '../../src/used-css.ts'

const used = (css: string, html: string, also?: string[]) => usedCss(readCss(css), namesOf(html, also))

describe('the rules that a page uses', () => {
  test('default: a rule is left out if the page lacks its class, id or element', () => {
    const css = '.a{x:1}.b{x:2}#c{x:3}#d{x:4}p{x:5}ul{x:6}p .a{x:7}ul .a{x:8}.a>p{x:9}'
    expect(used(css, '<p id="c" class="a other">')).toBe('.a{x:1}#c{x:3}p{x:5}p .a{x:7}.a>p{x:9}')
  })

  test('behavior: of a list of selectors only those that may match are kept', () => {
    expect(used('.a,.b,p{x:1}', '<p class="b">')).toBe('.b,p{x:1}')
    expect(used(':is(.a,.b) p,ul{x:1}', '<p>')).toBe(':is(.a,.b) p{x:1}')
  })

  test('behavior: whatever depends on state, attributes or what is absent is kept', () => {
    const css = 'p:hover{x:1}p[data-x=".no"]{x:2}p:not(.no){x:3}:root{x:4}*{x:5}[dir=rtl] p{x:6}p::after{x:7}p:has(+.no){x:8}'
    expect(used(css, '<p>')).toBe(css)
  })

  test('behavior: conditions are kept around what is kept, and vanish with the last rule', () => {
    const css = '@media (width>=1px){.a{x:1}.b{x:2}@supports (x:1){.a{x:3}}}@media print{.b{x:4}}@keyframes spin{to{x:5}}'
    expect(used(css, '<i class="a">')).toBe('@media (width>=1px){.a{x:1}@supports (x:1){.a{x:3}}}@keyframes spin{to{x:5}}')
  })

  test('behavior: classes that scripts add at once are named', () => {
    expect(used('.done{x:1}', '<p>', ['.done'])).toBe('.done{x:1}')
  })

  test('property: a page that has everything uses everything', () => {
    const name = fc.stringMatching(/^[a-z]{1,6}$/)
    const selector = fc.tuple(fc.constantFrom('.', '#', ''), name).map(([kind, text]) => kind + text)
    const rule = fc.array(selector, { minLength: 1, maxLength: 3 }).map((list) => `${list.join(',')}{x:1}`)
    fc.assert(
      fc.property(fc.array(rule), (rules) => {
        const names = [...new Set(rules.join('').match(/[a-z]+(?=[,{])/g) ?? [])]
        const html = names.map((each) => `<${each} id="${each}" class="${each}">`).join('')
        expect(used(rules.join(''), html)).toBe(rules.join(''))
      }),
    )
  })
})
