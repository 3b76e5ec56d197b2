/** With this as its inner HTML, hydration leaves an element's content as the server rendered it. */
export const keepServerHtml = { __html: '' }
