/* All sections that the page has without its script; then the page starts. */
views.push({id: 'figures', title: 'All figures', show() {}});
start();
