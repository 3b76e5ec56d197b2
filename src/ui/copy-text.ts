/** The clipboard may be missing or refused, as in frames and on plain http, so this tries a selection. Resolves to false if both fail. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

const copyBySelection = (text: string): boolean => {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.className = 'hide'
  document.body.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}

export const selectElement = (id: string): void => {
  const element = document.getElementById(id)
  if (element) getSelection()?.selectAllChildren(element)
}
