// Cards of one vendor, between being read and being put into the machine's list.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "probes/answers.h"
#include "probes/machine.h"

namespace whyfail::probes {

struct Card {
  Gpu gpu;                    // `index`: the key that it would have if its vendor gets the keys; none: cannot be told
  std::size_t pci_place = 0;  // place among the cards of its vendor in PCI order
};

struct Cards {
  std::vector<Card> visible;
  bool any = false;                  // there are cards of this vendor, visible or not
  std::vector<std::string> reasons;  // why something about them is not known
};

// Takes over what a driver says about a card's memory; absurd figures (negative, no total, more free than total) are
// left out with a reason.
void set_figures(Gpu& gpu, Figure total, Figure free, std::vector<std::string>& reasons);
// One pool with the machine's memory: its total and what is available of it.
void set_unified(Gpu& gpu, const Memory& memory, std::vector<std::string>& reasons);

}  // namespace whyfail::probes
