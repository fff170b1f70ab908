// The inputs of a C++ program: std::chrono's clocks, std::random_device, std::cin; one MCAPI node, no reprise header.
//
//   inputs_of_cxx [unsynced] < text
#include <mcapi.h>

#include <chrono>
#include <cstring>
#include <iostream>
#include <random>
#include <string>

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "unsynced") == 0) std::ios::sync_with_stdio(false);
  mcapi_info_t info;
  mcapi_status_t status;
  mcapi_initialize(0, 1, nullptr, nullptr, &info, &status);
  std::random_device random;
  std::cout << "node 1: steady " << std::chrono::steady_clock::now().time_since_epoch().count() << " system "
            << std::chrono::system_clock::now().time_since_epoch().count() << " random " << random() << '\n';
  int lines = 0;
  for (std::string line; std::getline(std::cin, line);) std::cout << "node 1: line " << ++lines << ' ' << line << '\n';
  std::mt19937 numbers(random());
  std::cout << "node 1: number " << numbers() << '\n';
  mcapi_finalize(&status);
  return status == MCAPI_SUCCESS ? 0 : 1;
}
