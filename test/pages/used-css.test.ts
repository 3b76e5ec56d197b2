import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawnHtml, namesOf, readCss, usedCss, withoutUnnamed } from '../../src/used-css.ts'

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

  test('behavior: whatever depends on what is absent or in brackets is kept', () => {
    const css = 'p:checked{x:1}p:not(.no){x:3}:root{x:4}*{x:5}p::after{x:7}p:not([open]){x:9}p:not(:has(.no)){x:10}:is(:has(.no),p){x:11}'
    expect(used(css, '<p>')).toBe(css)
  })

  test('behavior: what an element would have to contain is needed like what it is', () => {
    const css = 'p:has(.a){x:1}p:has(> .b) i{x:2}p:has(+.no) i{x:3}p:has(.no){x:4}p:has(i .no){x:5}'
    expect(used(css, '<p><i class="a b">')).toBe('p:has(.a){x:1}p:has(> .b) i{x:2}p:has(i .no){x:5}')
  })

  test('behavior: a rule is left out if the page lacks its attribute or that value of it', () => {
    const css = '[dir=rtl] p{x:1}[dir=ltr] p{x:2}[hidden]{x:3}[data-x]{x:4}[data-x=no]{x:5}[data-y="." i]{x:6}'
    expect(used(css, '<html dir="rtl"><p hidden data-y="a b"> data-x </p>')).toBe('[dir=rtl] p{x:1}[hidden]{x:3}[data-y="." i]{x:6}')
  })

  test('behavior: states that the payer brings can be named, like classes that scripts add', () => {
    const css = 'p:hover{x:1}p:focus-visible{x:2}p:focus{x:3}p[open]{x:4}'
    expect(used(css, '<p>')).toBe('')
    expect(used(css, '<p>', [':hover', ':focus', ':focus-visible', '[open]'])).toBe(css)
  })

  test('behavior: the content of what is closed is not drawn, its summary is', () => {
    const closed = '<details class="a"><summary><b></b></summary><i><details open><summary>c</summary><u></u></details></i></details><p>'
    const names = namesOf(drawnHtml(`<h1>${closed}`))
    expect(['h1', '.a', 'b', 'p'].every((name) => names.has(name))).toBe(true)
    expect(['i', 'u'].some((name) => names.has(name))).toBe(false)
    expect(namesOf(drawnHtml(closed.replace('<details class', '<details open class'))).has('u')).toBe(true)
  })

  test('behavior: properties and animations that nothing names are left out, and what is empty without them', () => {
    const css =
      ':root{--a:1;--ab:2}@media dark{html{--b:3}}p{x:var(--a);animation:2s spin}@keyframes spin{0%{x:1}to{x:2}}@keyframes spinner{to{x:3}}'
    expect(withoutUnnamed(css)).toBe(':root{--a:1;}p{x:var(--a);animation:2s spin}@keyframes spin{0%{x:1}to{x:2}}')
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
