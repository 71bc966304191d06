// @ts-check
import { describe, expect, it } from 'vitest'
import { readPage } from './markdown.mjs'

describe('readPage', () => {
  it('finds a block with its language, its words and its line', () => {
    const { blocks } = readPage('# T\n\n```yaml invalid file=a.yaml\na: 1\n\nb: 2\n```\n\nend\n')
    expect(blocks).toEqual([
      {
        language: 'yaml',
        words: ['invalid', 'file=a.yaml'],
        text: 'a: 1\n\nb: 2',
        line: 4,
        before: '# T',
        after: 'end',
      },
    ])
  })

  it('takes the indentation of a fence in a list off its text', () => {
    const { blocks } = readPage('- item\n\n  ```js\n  if (x) {\n    y()\n  }\n  ```\n')
    expect(blocks[0]?.text).toBe('if (x) {\n  y()\n}')
  })

  it('closes a block only with a fence of the same kind and at least the same length', () => {
    const { blocks } = readPage('````md\n```js\nx\n```\n~~~~\n````\n\n```sh\nls\n```\n')
    expect(blocks.map(({ text }) => text)).toEqual(['```js\nx\n```\n~~~~', 'ls'])
  })

  it('does not take inline code that starts a line for a fence', () => {
    const { blocks, links } = readPage('``` ``inline`` ``` and [a link](a.md)\n')
    expect(blocks).toEqual([])
    expect(links).toEqual([{ target: 'a.md', line: 1 }])
  })

  it('goes on reading right after an empty block', () => {
    const { blocks, links } = readPage('```sh\n```\n[a](b.md)\n')
    expect(blocks).toHaveLength(1)
    expect(links).toEqual([{ target: 'b.md', line: 3 }])
  })

  it('finds links, images and definitions, and leaves code alone', () => {
    const source =
      '[a](x.md "T") ![i](y.png) [![n](z.svg)](w.md) `[c](no.md)`\n\n[ref]: v.md\n\n```md\n[b](no.md)\n```\n'
    const targets = readPage(source).links.map(({ target }) => target)
    expect(targets.sort()).toEqual(['v.md', 'w.md', 'x.md', 'y.png', 'z.svg'])
  })

  it('names headings as code hosts do', () => {
    const { anchors } = readPage(
      '# Add an `operator`\n## I want to…\n## Same\n## Same\n## [Linked](a.md) text\n',
    )
    expect([...anchors]).toEqual(['add-an-operator', 'i-want-to', 'same', 'same-1', 'linked-text'])
  })
})
