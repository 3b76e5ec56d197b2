import { PDFiumLibrary } from '@hyzyla/pdfium'
import readQr from 'jsqr'

/** Reads a PDF with a browser's engine, independently of the code that wrote it. */
export interface ReadPdf {
  readonly text: string
  readonly pages: number
  /** The targets of its link annotations. */
  readonly links: readonly string[]
  /** The decoded QR code of the first or the last page. */
  readonly qr: string | undefined
  readonly picture: { readonly data: Uint8Array; readonly width: number; readonly height: number }
}

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const library = await PDFiumLibrary.init()
  const document = await library.loadDocument(bytes)
  try {
    const texts: string[] = []
    const codes: (string | undefined)[] = []
    let picture: ReadPdf['picture'] | undefined
    for (const [index, page] of [...document.pages()].entries()) {
      texts.push(page.getText())
      if (index !== 0 && index !== document.getPageCount() - 1) continue
      const { data, width, height } = await page.render({ scale: 2, render: 'bitmap' })
      picture ??= { data, width, height }
      codes.push(readQr(new Uint8ClampedArray(data), width, height)?.data)
    }
    if (!picture) throw new Error('a PDF without pages')
    // Annotations are plain objects of the file, outside its compressed streams.
    const links = [
      ...Buffer.from(bytes)
        .toString('latin1')
        .matchAll(/\/URI \(((?:[^()\\]|\\.)*)\)/g),
    ].map(([, address = '']) => address.replace(/\\(.)/g, '$1'))
    return { text: texts.join('\n'), pages: texts.length, links, qr: codes.find((code) => code !== undefined), picture }
  } finally {
    document.destroy()
    library.destroy()
  }
}
