/**
 * This script runs in the shop's pages, where it logs Till's events and copies the code. It may run before till.js has loaded, so it pushes
 * its function onto the array at `window.Till`, which till.js processes later.
 */
export const logScript = `
const types = ['open', 'ready', 'resize', 'method', 'pending', 'partial', 'paid', 'expired', 'failed', 'refunded', 'closed', 'error']
window.Till ||= []
Till.push((till) => {
  for (const type of types) till.on(type, (detail) => {
    const log = document.querySelector('#log')
    const line = log.lastElementChild?.dataset.type === type ? log.lastElementChild : document.createElement('li')
    const name = document.createElement('b')
    name.textContent = type
    line.dataset.type = type
    line.replaceChildren(name, ' ' + Object.entries(detail).filter(([, value]) => value !== undefined).map(([key, value]) => key + ' ' + value).join(' · '))
    log.append(line)
  })
})
addEventListener('DOMContentLoaded', () => {
  const copy = document.querySelector('#copy')
  copy.addEventListener('click', async () => {
    const code = document.querySelector('#code')
    getSelection().selectAllChildren(code)
    const done = await navigator.clipboard?.writeText(code.textContent).then(() => true, () => false)
    copy.textContent = done ? 'Copied' : 'Selected'
    setTimeout(() => { copy.textContent = 'Copy' }, 2000)
  })
})
`
