import type { Article } from "./article";

/** What somebody is about to buy. */
export class Cart {
  private counts = new Map<Article, number>();

  put(article: Article, count = 1) {
    this.counts.set(article, this.countOf(article) + count);
  }

  countOf(article: Article) {
    return this.counts.get(article) ?? 0;
  }

  total() {
    let cents = 0;
    for (const [article, count] of this.counts) {
      cents += article.cents * count;
    }
    return cents;
  }
}
