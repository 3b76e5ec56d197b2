/**
 * The clipboard API is missing or refused on plain http, in frames without the permission, and in old webviews, so this falls back to a
 * selection. It resolves to false if neither works. The caller then selects the text for the payer to copy.
 */
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
