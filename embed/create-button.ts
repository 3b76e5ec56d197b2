/** A merchant's own text in the element takes the place of the label. */
export const createButton = (text: string, run: () => void): HTMLButtonElement => {
  const button = document.createElement('button')
  const label = document.createElement('slot')
  label.append(text)
  button.append(label)
  button.addEventListener('click', run)
  return button
}
